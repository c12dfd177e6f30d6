/* SPDX-License-Identifier: Apache-2.0 */
/* The same, in a program that has a region without a call that waits. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  int told = omp_get_max_threads(), teams = 0;
#pragma omp parallel
  {
    nanosleep(&(struct timespec){0, 50000}, NULL);
#pragma omp single
    teams += omp_get_num_threads() == told;
  }
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp parallel
  {
#pragma omp single
    teams += omp_get_num_threads() == told;
  }
  printf("%ld, %d teams as told\n", sum, teams);
  return 0;
}
