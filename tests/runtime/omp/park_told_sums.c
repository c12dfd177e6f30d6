/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of floating-point numbers for each of the threads that omp_get_max_threads() told of, and then one of these: with another number
   other digits come out. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 2000 };

int main(void) {
  int told = omp_get_max_threads();
  double *sums = calloc(told, sizeof *sums), sum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    nanosleep(&(struct timespec){0, 50000}, NULL);
    for (int i = me; i < items; i += omp_get_num_threads()) sums[me] += 1.0 / (i * i * 0.37 + 1.1);
  }
  for (int t = 0; t < told; ++t) sum += sums[t];
  printf("%.17g\n", sum);
  free(sums);
  return 0;
}
