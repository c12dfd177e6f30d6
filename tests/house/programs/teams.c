// SPDX-License-Identifier: Apache-2.0
// More teams than there are cores, on the host, and a region that waits.
#include <stdio.h>
#include <time.h>

int main(void) {
  int teams = 0, sum = 0;
#pragma omp teams num_teams(300) reduction(+ : teams)
  ++teams;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) {
    nanosleep(&(struct timespec){0, 10000}, NULL);
    sum += i;
  }
  printf("teams %d, sum %d\n", teams, sum);
  return 0;
}
