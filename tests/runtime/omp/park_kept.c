/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as long as one team was, filled by the number of a thread of another. Argument: what the first team does besides. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void nap(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

int main(int argc, char **argv) {
  int threads = 0, shares = argc > 1 && !strcmp(argv[1], "shares");
  static double squares[1000];
  if (shares) {
#pragma omp parallel
    {
#pragma omp master
      threads = omp_get_num_threads();
#pragma omp for schedule(static)
      for (int i = 0; i < 1000; ++i) squares[i] = i * (double)i;
    }
  } else {
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
  }
  long *sums = calloc(threads, sizeof *sums), *beyond = sums + threads, sum = 0, outside = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    long mine = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 200; ++i) {
      nap();
      mine += i;
    }
    if (sums + me < beyond) sums[me] = mine;
    else
#pragma omp atomic
      ++outside;
  }
  for (int t = 0; t < threads; ++t) sum += sums[t];
  printf("%ld, %ld outside, %.0f\n", sum, outside, squares[999]);
  free(sums);
  return 0;
}
