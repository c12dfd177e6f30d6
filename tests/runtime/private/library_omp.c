// SPDX-License-Identifier: Apache-2.0
// A library with an OpenMP run-time of its own: what it says of a team of three. Knows nothing of weir.
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { threads = 3, rounds = 60 };

static long wait_for(long i) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, NULL);
  return i;
}

// A number by each thread, a loop, single, sections, locks: names that weir has beside some that it has not.
static long looped(void) {
  long sum = 0, once = 0, parts = 0, inside = 0, levels = 0, seen[threads] = {0};
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    seen[omp_get_thread_num()] += omp_get_num_threads();
#pragma omp single
    once = wait_for(7);
#pragma omp for schedule(dynamic) nowait
    for (long i = 0; i < rounds; ++i) sum += wait_for(i);
#pragma omp for schedule(guided) ordered
    for (long i = 0; i < rounds; ++i) {
#pragma omp ordered
      parts = parts * 3 % 1000003 + i;
    }
#pragma omp sections
    {
#pragma omp section
      sum += 1000;
#pragma omp section
      sum += wait_for(2000);
    }
    omp_set_lock(&lock);
    inside += omp_in_parallel();
    omp_unset_lock(&lock);
#pragma omp critical
    levels += omp_get_level();
  }
  omp_destroy_lock(&lock);
  for (int i = 0; i < threads; ++i) parts = parts * 10 + seen[i];
  return sum + once + parts + inside + levels;
}

static long tasked(void) {
  long sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  for (long i = 0; i < rounds; ++i) {
#pragma omp task firstprivate(i) shared(sum)
    {
      long value = wait_for(i);
#pragma omp atomic
      sum += value;
    }
  }
  return sum;
}

void work(void) {
  omp_set_num_threads(threads);
  printf("%ld %ld %d\n", looped(), tasked(), omp_get_max_threads());
}
