/* SPDX-License-Identifier: Apache-2.0 */
/* A table whose length stands in the source, by thread number: bare, no machine in sight has so many cores. With an argument the loop
 * is shared out beforehand, for which gcc asks how many threads there are. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long sums[64];

static void nap(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel
  {
    long mine = 0;
    if (argc > 1) {
#pragma omp for schedule(static)
      for (int i = 0; i < 200; ++i) nap(), mine += i;
    } else {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 200; ++i) nap(), mine += i;
    }
    sums[omp_get_thread_num()] = mine;
  }
  long sum = 0;
  for (int t = 0; t < 64; ++t) sum += sums[t];
  printf("%ld\n", sum);
  return 0;
}
