/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that look at errno before and behind calls that wait and succeed: compilers ask once where it is. Others hold a lock over a call, so
 * that threads are idle. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { tasks = 80 };

static void wait_us(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }

/* So many of its four errors were found. */
static int found(int task) {
  char byte;
  errno = 0;
  int right = close(-1) < 0 && errno == EBADF;
  wait_us(200 + task % 7 * 50);
  errno = 0;
  right += strtol("99999999999999999999", NULL, 10) > 0 && errno == ERANGE;
  wait_us(300 - task % 5 * 40);
  right += read(-1, &byte, 1) < 0 && errno == EBADF;
  errno = EDOM;
  wait_us(100);
  right += errno == EDOM;
  return right;
}

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++)
#pragma omp task shared(sum)
  {
    wait_us(100);
    int right = i % 2 ? found(i) : 0;
#pragma omp critical
    {
      sum += right;
      wait_us(200);
    }
  }
  printf("%d\n", sum);
}
