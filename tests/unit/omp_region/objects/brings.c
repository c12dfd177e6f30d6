/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that make tasks. In one_ ones a thread waits for what the tasks are about, for it alone; in others none does, or each may. */
#include <unistd.h>

#define APART __attribute__((noinline))

static long sum;

static APART long take(long at) {
  char byte;
  return pread(0, &byte, 1, at) == 1 ? byte : -1;
}
static APART void compute(long from) { __atomic_fetch_add(&sum, from * from, __ATOMIC_RELAXED); }
static APART void take_and_compute(long at) { compute(take(at)); }

void one_brings(void) {
#pragma omp parallel
#pragma omp single
  for (long at = 0; at < 100; ++at) {
    char byte;
    if (pread(0, &byte, 1, at) != 1) break;
#pragma omp task firstprivate(byte)
    compute(byte);
  }
}

void one_brings_by_call(void) {
#pragma omp parallel
#pragma omp master
  for (long at = 0; at < 100; ++at) {
    long byte = take(at);
#pragma omp task firstprivate(byte)
    compute(byte);
  }
}

void tasks_bring(void) {
#pragma omp parallel
#pragma omp single
  for (long at = 0; at < 100; ++at) {
#pragma omp task firstprivate(at)
    take_and_compute(at);
  }
}

void all_bring(void) {
#pragma omp parallel
#pragma omp for schedule(dynamic)
  for (long at = 0; at < 100; ++at) {
    long byte = take(at);
#pragma omp task firstprivate(byte)
    compute(byte);
  }
}

void none_makes_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (long at = 0; at < 100; ++at) take_and_compute(at);
}
