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

__attribute__((noinline)) void middle(int n) {
  innermost(n);
  reached += 2;
}

__attribute__((noinline)) void outermost(int n) {
  middle(n);
  reached += 3;
}

int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  outermost(1);
  printf("%d\n", reached);
  return 0;
}
