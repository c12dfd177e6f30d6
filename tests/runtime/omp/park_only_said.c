/* SPDX-License-Identifier: Apache-2.0 */
/* A program that says how many threads there are, at once, before its loops and in one, and does nothing else with the number. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

int omp_get_max_threads_(void); /* as Fortran calls them */
int omp_get_num_threads_(void);

int main(void) {
  printf("up to %d threads\n", omp_get_max_threads());
  printf("or %d\n", omp_get_max_threads_());
  long sum = 0;
  for (int run = 0; run < 4; ++run) {
#pragma omp parallel
    {
#pragma omp single
      printf("%d threads\n", omp_get_num_threads());
#pragma omp single
      printf("and %d\n", omp_get_num_threads_());
#pragma omp for schedule(dynamic) reduction(+ : sum)
      for (int i = 0; i < 300; ++i) {
        nanosleep(&(struct timespec){0, 50000}, NULL);
        sum += i;
      }
    }
  }
  fprintf(stderr, "of at most %d threads\n", omp_get_max_threads());
  printf("sum %ld\n", sum);
  return 0;
}
