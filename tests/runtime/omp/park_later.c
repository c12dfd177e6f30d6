/* SPDX-License-Identifier: Apache-2.0 */
/* A program that never asks which thread it is, nor says how many there are; and a library that has a table of the length that it is told. */
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 300 };
static long sum;

static void waits(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < items; ++i) {
    nanosleep(&(struct timespec){0, 50000}, NULL);
    __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
  }
}

int main(void) {
  int beyond = 0, told = omp_get_max_threads();
  for (int run = 0; run < 3; ++run) waits();
  void *library = dlopen(getenv("LIBRARY"), RTLD_NOW);
  if (!library) return 1;
  int (*fills)(int) = (int (*)(int))dlsym(library, "fills");
  for (int run = 0; run < 3; ++run) beyond |= fills(told);
  printf("beyond the table: %d, sum %ld\n", beyond, sum);
  return 0;
}
