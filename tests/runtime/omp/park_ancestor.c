/* SPDX-License-Identifier: Apache-2.0 */
/* A table of as many places as there are cores, by the number that a thread has as its own ancestor. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  int team = 0;
#pragma omp parallel
#pragma omp single
  team = omp_get_team_size(1);
  long *table = calloc((size_t)team, sizeof *table), sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) {
    usleep(2000);
    table[omp_get_ancestor_thread_num(omp_get_level())] += i;
  }
  for (int t = 0; t < team; ++t) sum += table[t];
  printf("sum %ld\n", sum);
  return 0;
}
