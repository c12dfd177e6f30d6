/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that say how many threads there are, and never ask which one it is. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { items = 300 };
static long sum;
static int (*from_now_on)(void);

static void work(int i) {
  nanosleep(&(struct timespec){0, 50000}, NULL);
  __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
}

static void plain(void) {
  int in_it = 0, other = 0;
  printf("up to %d threads\n", omp_get_max_threads());
#pragma omp parallel
  {
#pragma omp single
    in_it = omp_get_num_threads();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) {
      work(i);
      if (from_now_on && from_now_on()) {
#pragma omp atomic write
        other = 1;
      }
      if (omp_get_num_threads() != in_it) {
#pragma omp atomic write
        other = 1;
      }
    }
  }
  printf("%d threads%s, %d beside it\n", in_it, other ? ", and others" : "", omp_get_num_threads());
}

/* So many as it was told. */
static void clause(void) {
  int told = omp_get_max_threads(), in_it = 0;
#pragma omp parallel num_threads(told)
  {
#pragma omp single
    in_it = omp_get_num_threads();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
  }
  printf("%d of %d threads\n", in_it, told);
}

static void set(void) {
  omp_set_num_threads(omp_get_max_threads());
  plain();
}

/* Or another number. */
static void fewer(void) {
  int in_it = 0, told = omp_get_max_threads();
#pragma omp parallel num_threads(told + 1)
  {
#pragma omp single
    in_it = omp_get_num_threads();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < items; ++i) work(i);
  }
  printf("%d of %d threads\n", in_it, told);
}

/* Each thread a part of its own, whichever it is: there are as many as it divides by. */
static void parts(void) {
  long done = 0;
#pragma omp parallel reduction(+ : done)
  {
    int each = items / omp_get_num_threads();
    for (int k = 0; k < each; ++k) {
      work(k);
      ++done;
    }
  }
  printf("%ld parts\n", done);
}

/* A library that has a table by thread, of the length that the program tells it. */
static void later(void) {
  int told = omp_get_max_threads(), beyond = 0;
  for (int run = 0; run < 3; ++run) plain();
  void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);
  if (!library) exit(1);
  int (*fills)(int) = (int (*)(int))dlsym(library, "fills");
  for (int run = 0; run < 3; ++run) beyond |= fills(told);
  printf("told %d, beyond it: %d\n", told, beyond);
  from_now_on = (int (*)(void))dlsym(library, "is_beyond");
  for (int run = 0; run < 3; ++run) plain();
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } kinds[] = {{"plain", plain}, {"clause", clause}, {"set", set}, {"fewer", fewer}, {"parts", parts}, {"later", later}};
  for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; ++i) {
    /* What a region's first run showed is what its next is given threads by. */
    for (int run = 0; run < 4 && strcmp(argv[1], kinds[i].name) == 0; ++run) kinds[i].run();
  }
  printf("sum %ld\n", sum);
  return 0;
}
