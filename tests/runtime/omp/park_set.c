/* SPDX-License-Identifier: Apache-2.0 */
/* A program that sets what it wants, in the middle of things: park_set num_threads|dynamic. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int team(void) {
  int size = 0;
#pragma omp parallel
  {
    nanosleep(&(struct timespec){0, 50000}, NULL);
#pragma omp single
    size = omp_get_num_threads();
  }
  return size;
}

int main(int argc, char **argv) {
  (void)argc;
  int before = team();
  if (!strcmp(argv[1], "num_threads")) {
    omp_set_num_threads(3);
    printf("%d %d, had some: %d\n", team(), omp_get_max_threads(), before > 0);
    omp_set_num_threads(7);
    printf("%d %d\n", team(), omp_get_max_threads());
  } else {
    omp_set_dynamic(0);
    printf("%d\n", team() == omp_get_num_procs());
  }
  return 0;
}
