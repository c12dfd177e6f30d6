// SPDX-License-Identifier: Apache-2.0
// A single with copyprivate, in a region with tasks: who runs the block waits for none of the others, and they run its tasks.
#include <stdio.h>
#include <unistd.h>

static int passed[2], asked[2];

static int takes(const int* from) {
  char byte;
  return read(from[0], &byte, 1) != 1;
}

static int gives(const int* to) { return write(to[1], "x", 1) != 1; }

int main(void) {
  int bad = 0;
  if (pipe(passed) || pipe(asked)) return 1;
#pragma omp parallel reduction(+ : bad)
  for (int round = 0; round < 20; ++round) {
    int value = 0;
#pragma omp master
    bad += takes(passed);
#pragma omp single copyprivate(value)
    {
      bad += gives(passed);
      int failed = 0;
#pragma omp task shared(failed)
      failed = takes(asked);
      usleep(100);
      bad += gives(asked);
#pragma omp taskwait
      bad += failed;
      for (int i = 0; i < 4; ++i) {
#pragma omp task
        usleep(200);
      }
      value = round + 1;
    }
    bad += value != round + 1;
  }
  printf("bad: %d\n", bad);
  return bad != 0;
}
