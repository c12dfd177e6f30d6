/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of tasks, in which nearly all that have begun wait for others: for their children, for a group, for a taskloop. Where each has a
   thread those are to sleep: libomp spins. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long leaf(void) {
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  return 1;
}

static long by_children(int depth) {
  if (!depth) return leaf();
  long left, right;
#pragma omp task shared(left)
  left = by_children(depth - 1);
#pragma omp task shared(right)
  right = by_children(depth - 1);
#pragma omp taskwait
  return left + right;
}

static long by_groups(int depth) {
  if (!depth) return leaf();
  long left = 0, right = 0, within = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(left, within)
    {
#pragma omp task shared(within) /* of the group, and nobody's who waits but that one's */
#pragma omp atomic
      ++within;
      left = by_groups(depth - 1);
    }
#pragma omp taskgroup
    {
#pragma omp task shared(right)
      right = by_groups(depth - 1);
    }
  }
  return left + right + (within != 1);
}

static long by_dependences(int depth) {
  if (!depth) return leaf();
  long left, right;
#pragma omp task shared(left) depend(out : left)
  left = by_dependences(depth - 1);
#pragma omp task shared(right) depend(out : right)
  right = by_dependences(depth - 1);
#pragma omp taskwait depend(in : left, right)
  return left + right;
}

static long by_loops(int depth) {
  if (!depth) return leaf();
  long sum = 0;
#pragma omp taskloop shared(sum) grainsize(1)
  for (int i = 0; i < 2; ++i) {
    long here = by_loops(depth - 1);
#pragma omp atomic
    sum += here;
  }
  return sum;
}

int main(void) {
  double began = now(CLOCK_MONOTONIC), computed = now(CLOCK_PROCESS_CPUTIME_ID);
  long sums[3] = {0};
#pragma omp parallel
#pragma omp single
  {
    sums[0] = by_children(5);
    sums[1] = by_groups(5);
    sums[2] = by_loops(5);
  }
  printf("%ld %ld %ld\n", sums[0], sums[1], sums[2]);
  began = now(CLOCK_MONOTONIC) - began;
  computed = now(CLOCK_PROCESS_CPUTIME_ID) - computed;
#pragma omp parallel
#pragma omp single
  printf("%ld\n", by_dependences(5)); /* of what it takes nothing is said: there libomp spins */
  if (getenv("WEIR_LANE") && computed > began / 4) fprintf(stderr, "%.2f s of a core in %.2f s\n", computed, began);
  return 0;
}
