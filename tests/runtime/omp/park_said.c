/* SPDX-License-Identifier: Apache-2.0 */
/* Programs with a table by thread that say how many threads there are: AT_ONCE, LATER, or in a region (WITHIN). */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 300 };

int main(void) {
#ifdef AT_ONCE
  printf("up to %d threads\n", omp_get_max_threads());
#endif
#ifdef WITHIN
  int within = 0;
#endif
  int told = omp_get_max_threads();
  long *sums = calloc(told, sizeof *sums), sum = 0;
  for (int run = 0; run < 4; ++run) {
#pragma omp parallel
    {
      int me = omp_get_thread_num();
#ifdef WITHIN
      if (me == 0) within = omp_get_num_threads();
#endif
#pragma omp for schedule(dynamic)
      for (int i = 0; i < items; ++i) {
        nanosleep(&(struct timespec){0, 50000}, NULL);
        sums[me] += i;
      }
    }
  }
  for (int t = 0; t < told; ++t) sum += sums[t];
#ifdef LATER
  printf("up to %d threads\n", told);
#endif
#ifdef WITHIN
  printf("%d threads\n", within);
#endif
  printf("sum %ld\n", sum);
  free(sums);
  return 0;
}
