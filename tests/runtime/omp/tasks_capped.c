// SPDX-License-Identifier: Apache-2.0
// A task that waits for one below it on its thread's stack, while as many are set aside as may be. Knows nothing of weir.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
static void block(double ms) {
  struct timespec t = {0, (long)(ms * 1e6)};
  nanosleep(&t, NULL);
}
static void compute(double ms) {
  double end = now_ms() + ms;
  while (now_ms() < end) {}
}

int main(void) {
  atomic_int done = 0;
  int order = 0;
#pragma omp parallel num_threads(2) shared(done, order)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task shared(order)
      {
#pragma omp task shared(order)
        {
          // Meanwhile the first is ready; creating a task lets it go on, on top of this one.
          compute(30);
#pragma omp task
          {}
          order |= 1;
        }
        block(10);
#pragma omp task
        block(100);
#pragma omp taskyield
#pragma omp taskwait
        order |= 2;
      }
#pragma omp taskwait
      atomic_store(&done, 1);
    } else {
      while (!atomic_load(&done)) {}  // takes none of them
    }
  }
  printf("%d\n", order);
  return order != 3;
}
