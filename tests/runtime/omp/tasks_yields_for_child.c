// SPDX-License-Identifier: Apache-2.0
// Several tasks on a thread wait by taskyield, each for a child of its own that has not begun: that one begins all the same. (libgomp's
// taskyield does nothing, so built by gcc this does not end bare.)
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { tasks = 128 };

int main(void) {
  atomic_int over = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++)
#pragma omp task shared(over)
  {
    usleep(2000);
    atomic_int is_over = 0;
#pragma omp task shared(is_over)
    {
      usleep(500);
      atomic_store(&is_over, 1);
    }
    while (!atomic_load(&is_over)) {
#pragma omp taskyield
    }
#pragma omp taskwait
    atomic_fetch_add(&over, 1);
  }
  printf("%d tasks over\n", over);
  return 0;
}
