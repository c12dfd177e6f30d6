/* SPDX-License-Identifier: Apache-2.0 */
/* Who has made tasks begins a region, and some of them end while it lasts: the thread of a `single`, a task, one with if(0); and a
 * region with if(0). libomp has such regions run by the thread that comes to them. Knows nothing of weir. */
#include <stdio.h>
#include <time.h>

enum { rounds = 5, children = 6 };

static void sleep_us(long us) {
  struct timespec t = {0, us * 1000};
  nanosleep(&t, NULL);
}

static void compute_us(long us) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < us);
}

static void make_children(int* over) {
  for (int i = 0; i < children; ++i) {
#pragma omp task firstprivate(i)
    {
      sleep_us(300 + i * 300);
#pragma omp atomic
      ++*over;
    }
  }
}

static int region(int with_team) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) if (with_team)
  for (int i = 0; i < 4; ++i) {
    compute_us(500);
    sum += i;
  }
  return sum;
}

static int round_of(int with_team) {
  int over = 0, sum;
  make_children(&over);
  sum = region(with_team);
#pragma omp taskwait
  return over + sum;
}

int main(void) {
  int by_thread = 0, by_tasks = 0, by_undeferred = 0;
#pragma omp parallel
#pragma omp single
  for (int r = 0; r < rounds; ++r) {
    by_thread += round_of(r % 2);
    for (int i = 0; i < 3; ++i) {
#pragma omp task shared(by_tasks)
      {
        int one = round_of(i % 2);
#pragma omp atomic
        by_tasks += one;
      }
    }
#pragma omp task if (0) shared(by_undeferred)
    by_undeferred += round_of(r % 2);
#pragma omp taskwait
  }
  printf("%d %d %d\n", by_thread, by_tasks, by_undeferred);
  return 0;
}
