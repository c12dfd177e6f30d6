// SPDX-License-Identifier: Apache-2.0
// tasks_loads LIBRARY: tasks block; then a plain library is loaded, which keeps something a thread over a call, and they
// call it. Knows nothing of weir.
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

enum { tasks = 40 };

static long block(long i) {
  struct timespec t = {0, 1000000};
  nanosleep(&t, NULL);
  return i;
}

static long sum_of(long (*body)(long)) {
  long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (long i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i) shared(sum)
    {
      long value = body(i);
#pragma omp atomic
      sum += value;
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  printf("%ld\n", sum_of(block));
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  long (*kept)(long) = library ? (long (*)(long))dlsym(library, "kept_over_a_call") : NULL;
  if (!kept) return 2;
  printf("%ld\n", sum_of(kept));
  return 0;
}
