/* SPDX-License-Identifier: Apache-2.0 */
/* A table whose length stands in the source, by thread number: bare, no machine in sight has so many cores. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long sums[64];

int main(void) {
#pragma omp parallel
  {
    long mine = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 200; ++i) {
      nanosleep(&(struct timespec){0, 50000}, NULL);
      mine += i;
    }
    sums[omp_get_thread_num()] = mine;
  }
  long sum = 0;
  for (int t = 0; t < 64; ++t) sum += sums[t];
  printf("%ld\n", sum);
  return 0;
}
