/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do with the number that omp_get_max_threads() told them: a table by thread, and work shared out before
 * the threads are there. Prints the same whatever the number is. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 5000 };

static void wait_a_little(void) { nanosleep(&(struct timespec){0, 50000}, NULL); }

int main(void) {
  int told = omp_get_max_threads();
  long *sums = calloc(told, sizeof *sums);
  int beyond = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    wait_a_little();
    if (omp_get_num_threads() > told) {
#pragma omp atomic write
      beyond = 1;
    } else {
      /* Part `me` of `told`: right only if every part has its thread. */
      for (int i = me; i < items; i += told) sums[me] += i;
    }
  }
  long sum = 0;
  for (int t = 0; t < told; ++t) sum += sums[t];
  printf("%ld beyond %d, still %d\n", sum, beyond, omp_get_max_threads() == told);
  free(sums);
  return 0;
}
