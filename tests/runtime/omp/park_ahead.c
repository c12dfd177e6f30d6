/* SPDX-License-Identifier: Apache-2.0 */
/* A loop with `ordered` whose pieces might wait, and don't: a piece that is begun early only waits for its turn, so few of a wide team's
   threads take any. Then one whose pieces do. */
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { pieces = 400 };

static atomic_int came;

static long compute(long piece) {
  struct timespec began, now;
  clock_gettime(CLOCK_MONOTONIC, &began);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - began.tv_sec) * 1000000000L + now.tv_nsec - began.tv_nsec < 100000);
  return piece * piece;
}

static long run(int wait_us) {
  long sum = 0;
#pragma omp parallel
  {
    int has_come = 0;
#pragma omp for ordered schedule(dynamic)
    for (long piece = 0; piece < pieces; ++piece) {
      came += !has_come;
      has_come = 1;
      if (wait_us) usleep((unsigned)wait_us);
      long square = compute(piece);
#pragma omp ordered
      sum = sum * 31 + square;
    }
  }
  return sum;
}

int main(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  printf("%ld\n", run(0));
  printf("%s\n", came <= cores + 48 ? "few" : "many");
  printf("%ld\n", run(1000));
  return 0;
}
