/* SPDX-License-Identifier: Apache-2.0 */
/* Regions one after the other, in each of which every thread forks a team of its own. With an argument, a process is forked in the
 * first, which goes on, as its parent does, with four more. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long region(int forks, pid_t *child) {
  long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < 64; ++i) {
    if (forks && i == 0) *child = fork();
    if (forks && i == 0 && *child == 0) _exit(7); /* of many threads it has one */
    usleep(1000);
    long inner = 0;
#pragma omp parallel reduction(+ : inner)
    {
#pragma omp for
      for (int k = 0; k < 8; ++k) inner += k;
    }
    sum += inner;
  }
  return sum;
}

int main(int count, char **arguments) {
  (void)arguments;
  pid_t child = 0;
  for (int round = 0; round < 5; ++round) printf("%ld\n", region(count > 1 && round == 0, &child));
  if (child) {
    int status = 0;
    waitpid(child, &status, 0);
    printf("the child ended with %d\n", WEXITSTATUS(status));
  }
  return 0;
}
