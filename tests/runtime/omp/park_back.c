/* SPDX-License-Identifier: Apache-2.0 */
/* A program that sets the number of threads that it was told, as many do: it computes with a thread a core as without that, and waits
   with more. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static int threads_that_compute(void) {
  int count = 0;
#pragma omp parallel reduction(+ : count)
  ++count;
  return count;
}

int main(void) {
  int told = omp_get_max_threads();
  omp_set_num_threads(told);
  long sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 200; ++i) {
      nanosleep(&(struct timespec){0, 2000000}, NULL);
      ++sum;
    }
  }
  printf("%ld, as told: %d, computing with few: %d\n", sum, omp_get_max_threads() == told, threads_that_compute() <= omp_get_num_procs());
  return 0;
}
