/* SPDX-License-Identifier: Apache-2.0 */
/* A task that waits for others in a team of more threads than there are cores: it is to sleep, since the core it would spin on is wanted. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static atomic_int began;

static void sleep_ms(long ms) { nanosleep(&(struct timespec){0, ms * 1000000}, NULL); }

static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static void begin_child(int *told, int part) {
  began = 0;
#pragma omp task firstprivate(told, part)
  {
    began = 1;
    sleep_ms(100);
    *told += part;
  }
  while (!began) sleep_ms(1);
}

int main(void) {
  int told = 0;
  long by_children = 0, by_group = 0;
#pragma omp parallel
#pragma omp single
  {
    begin_child(&told, 1);
    by_children = sleeps();
#pragma omp taskwait
    by_children = sleeps() - by_children;
#pragma omp taskgroup
    {
      begin_child(&told, 2);
      by_group = sleeps();
    }
    by_group = sleeps() - by_group;
  }
  printf("%d\n", told);
  if (getenv("WEIR_LANE") && (!by_children || !by_group)) fprintf(stderr, "spun: it slept %ld and %ld times\n", by_children, by_group);
  return 0;
}
