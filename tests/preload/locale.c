/* SPDX-License-Identifier: Apache-2.0 */
/* A program that writes numbers as its user's country does, and waits. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  if (!setlocale(LC_ALL, "")) return 2;
  int pipes[2];
  if (pipe(pipes)) return 2;
  pid_t writer = fork();
  if (writer == 0) {
    usleep(150 * 1000);
    _exit(write(pipes[1], "x", 1) != 1);
  }
  char got = 0;
  long n = read(pipes[0], &got, 1);
  int status = 1;
  waitpid(writer, &status, 0);
  printf("%ld %c %d %.2f %g\n", n, got, status, 1.5, strtod("2,25", NULL));
  return 0;
}
