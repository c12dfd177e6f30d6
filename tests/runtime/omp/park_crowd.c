/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits in a team of more threads than there are cores is to sleep, since the core it would spin on is wanted: a task for others;
   a thread that has none, at a barrier, for those of others; and in code by gcc, whose run-time has it so, any thread at a barrier. */
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

/* How many threads that had nothing to do did not sleep once. */
static int spun_beside_task(void) {
  int spun = 0;
#pragma omp parallel reduction(+ : spun)
  {
    int had_work = 0;
    long slept = sleeps();
#pragma omp single
    {
      had_work = 1;
#pragma omp task
      sleep_ms(200);
    }
    /* Who ran the task slept in there. */
    spun += !had_work && sleeps() == slept;
  }
  return spun;
}

static int spun_at_barrier(void) {
  int spun = 0;
#pragma omp parallel reduction(+ : spun)
  {
    int had_work = 0;
    long slept = sleeps();
#pragma omp master
    {
      had_work = 1;
      sleep_ms(100);
    }
#pragma omp barrier
    spun += !had_work && sleeps() == slept;
  }
  return spun;
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
  int beside = spun_beside_task(), at_barrier = spun_at_barrier();
#ifdef __clang__
  at_barrier = 0;
#endif
  if (getenv("WEIR_LANE") && (beside || at_barrier)) fprintf(stderr, "spun: %d beside a task, %d at a barrier\n", beside, at_barrier);
  if (getenv("WEIR_LANE") && (!by_children || !by_group)) fprintf(stderr, "spun: it slept %ld and %ld times\n", by_children, by_group);
  return 0;
}
