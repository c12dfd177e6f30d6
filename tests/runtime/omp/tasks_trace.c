// SPDX-License-Identifier: Apache-2.0
// A task, three calls deep, that blocks and then stops where a debugger looks. Knows nothing of weir.
#include <stdio.h>
#include <time.h>

int reached;

__attribute__((noinline)) void innermost(int n) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, NULL);
  reached += n;
}

// What orders main's read after the task, for a checker that can't see into libomp's barrier.
static int ended;

__attribute__((noinline)) void middle(int n) {
  innermost(n);
  reached += 2;
}

__attribute__((noinline)) void outermost(int n) {
  middle(n);
  reached += 3;
  __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  outermost(1);
  if (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) return 1;
  printf("%d\n", reached);
  return 0;
}
