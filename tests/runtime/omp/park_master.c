/* SPDX-License-Identifier: Apache-2.0 */
/* Of a region only one thread waits at a time, many times: from its second run on one stand-in is enough. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { runs = 4, waits = 40, pieces = 200 };

static char took[1 << 16];
static double results[pieces];

static double compute(int from) {
  double sum = from;
  for (int i = 1; i <= 100000; ++i) sum += 1.0 / i / i;
  return sum;
}

int main(void) {
  int takers = 0;
  for (int run = 0; run < runs; ++run) {
    for (int i = 0; i < 1 << 16; ++i) took[i] = 0;
#pragma omp parallel
    {
#pragma omp master
      for (int i = 0; i < waits; ++i) nanosleep(&(struct timespec){0, 200000}, NULL);
#pragma omp for schedule(dynamic)
      for (int i = 0; i < pieces; ++i) {
        __atomic_store_n(&took[(unsigned)syscall(SYS_gettid) % (1 << 16)], 1, __ATOMIC_RELAXED);
        results[i] = compute(i);
      }
    }
    takers = 0;
    for (int i = 0; i < 1 << 16; ++i) takers += took[i];
  }
  double sum = 0;
  for (int i = 0; i < pieces; ++i) sum += results[i];
  long most = sysconf(_SC_NPROCESSORS_ONLN) + 1;
  if (takers > most) printf("%d threads took pieces\n", takers);
  else printf("few threads took pieces of %.3f\n", sum);
  return 0;
}
