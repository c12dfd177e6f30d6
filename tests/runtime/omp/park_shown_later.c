/* SPDX-License-Identifier: Apache-2.0 */
/* A library that asks which thread it is: was there one beyond `length`? */
#include <omp.h>
#include <time.h>

int is_beyond(void) { return omp_get_thread_num() >= omp_get_num_threads(); }

int fills(int length) {
  int beyond = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() >= length) {
#pragma omp atomic write
      beyond = 1;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 200; ++i) nanosleep(&(struct timespec){0, 50000}, NULL);
  }
  return beyond;
}
