/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that only compute; what waits does so between them. With WAITS defined one of them waits after all. */
#include <math.h>
#include <stdio.h>
#include <time.h>

static double roots[2000];

static double sum_of_roots(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 2000; ++i) sum += roots[i];
  return sum;
}

int main(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 2000; ++i) roots[i] = floor(sqrt(i) + log(i + 1));
  nanosleep(&(struct timespec){0, 200000000}, NULL);  /* time in which its code is read */
  printf("%.0f\n", sum_of_roots());
#ifdef WAITS
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 200; ++i) nanosleep(&(struct timespec){0, 50000}, NULL);
#endif
  return 0;
}
