/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of a large team computes, and the others wait for it at a barrier with no task left: they cost next to nothing.
   Counted in CPU time, so that a busy machine makes no difference. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void) {
  double own = 0, all = 0;
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
#pragma omp master
    {
      own = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      all = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
      while (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own < 0.4) {}
      own = seconds_of(CLOCK_THREAD_CPUTIME_ID) - own;
      all = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - all;
    }
#pragma omp barrier
  }
  if (all > 1.3 * own) printf("while one thread computed for %.3f s, all took %.3f s\n", own, all);
  else printf("the others slept\n");
  return all > 1.3 * own;
}
