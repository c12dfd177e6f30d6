/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions before a fork, in the child, and after it in the parent. */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long region(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    sum += i;
  }
  return sum;
}

int main(void) {
  printf("before %ld\n", region());
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    printf("child %ld\n", region());
    return 3;
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child ended %d, parent %ld\n", WEXITSTATUS(status), region());
  return 0;
}
