/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait and compute in turn, for longer than weir is patient: nothing moves meanwhile, and yet nobody waits for anybody. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { tasks = 6, rounds = 6 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// In libc, where no other task may be put on top.
static long compute(long steps) {
  static const char bytes[1 << 16];
  long sum = 0;
  for (long i = 0; i < steps; ++i) sum += memchr(bytes, 1 + (int)(i & 1), sizeof bytes) == NULL;
  return sum;
}

int main(void) {
  long steps = 1 << 10, sum = 0;
  double began;
  do {
    steps *= 2;
    began = seconds();
    if (compute(steps) != steps) return 2;
  } while (seconds() - began < 0.12);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(sum)
    for (int round = 0; round < rounds; ++round) {
      usleep(20 * 1000);
      const long mine = compute(steps);
#pragma omp atomic
      sum += mine == steps;
    }
  }
  printf("computing: %ld\n", sum);
  return 0;
}
