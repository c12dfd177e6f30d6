/* SPDX-License-Identifier: Apache-2.0 */
/* One thread waits for what comes, and makes a task of each; the region runs several times. Tasks can be set aside, so the team needs
 * one more thread, for the core of the one that waits, and never hundreds that wait for tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 40 };

static long compute(long from) {
  unsigned long x = (unsigned long)from + 1;
  for (int i = 0; i < 1500000; ++i) x = (x ^ x >> 31) * 6364136223846793005u;
  return (long)(x >> 33);
}

int main(int argc, char **argv) {
  int runs = argc > 1 ? atoi(argv[1]) : 4;
  for (int run = 0; run < runs; ++run) {
    long sum = 0;
#pragma omp parallel
#pragma omp single
    for (long item = 0; item < items; ++item) {
      nanosleep(&(struct timespec){0, 1000000}, NULL);
#pragma omp task firstprivate(item) shared(sum)
      {
        long one = compute(item);
#pragma omp atomic
        sum += one;
      }
    }
    printf("%ld\n", sum);
  }
  return 0;
}
