/* SPDX-License-Identifier: Apache-2.0 */
/* A program that gives OpenMP's resources back between its regions, softly and hard, and goes on. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static int sum_of_pieces(void) {
  int sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) {
    nanosleep(&(struct timespec){0, 100000}, NULL);
    sum += i;
  }
  return sum;
}

int main(void) {
  const omp_pause_resource_t kinds[] = {omp_pause_soft, omp_pause_hard, omp_pause_hard, omp_pause_soft};
  int device = omp_get_initial_device();
  for (int i = 0; i < 4; ++i) printf("%d, paused: %d\n", sum_of_pieces(), omp_pause_resource(kinds[i], device) == 0);
  printf("%d, paused: %d\n", sum_of_pieces(), omp_pause_resource_all(omp_pause_hard) == 0);
  printf("%d\n", sum_of_pieces());
  return 0;
}
