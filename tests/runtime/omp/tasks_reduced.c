// SPDX-License-Identifier: Apache-2.0
// tasks_reduced waits|meets|sums: a loop with a reduction and nowait, in a region with tasks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int passed[2];

static int waits_for_byte(void) {
  char byte;
  return read(passed[0], &byte, 1) != 1;
}

// The first thread goes on behind the loop, and only then come the others to its end.
static int first_goes_on(int threads) {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) schedule(static) nowait
    for (int i = 0; i < threads; ++i) sum += i ? 2 + waits_for_byte() : 2;
#pragma omp master
    for (int i = 1; i < threads; ++i) sum += write(passed[1], "x", 1) != 1;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      usleep(1000);
    }
  }
  return sum;
}

// Tasks are set aside when the threads come to the end of the loop.
static int tasks_are_left(int threads) {
  int sum = 0, done = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) schedule(static) nowait
    for (int i = 0; i < threads * 4; ++i) {
#pragma omp task shared(done)
      {
        usleep(1000 * (i % 7));
#pragma omp atomic
        ++done;
      }
      sum += 2;
    }
  }
  return sum + done;
}

// A sum that rounds: by a tree it is the same whoever comes first.
static double last_come_first(int threads) {
  double sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) schedule(static) nowait
    for (int i = 0; i < threads; ++i) {
      usleep(i < 2 ? 100000 - 50000 * i : 0);
      sum += i == 0 ? 1e17 : i == 1 ? -1e17 : 1;
    }
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      usleep(1000);
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int threads = atoi(getenv("OMP_NUM_THREADS"));
  if (pipe(passed)) return 1;
  if (!strcmp(how, "waits")) printf("%d\n", first_goes_on(threads));
  else if (!strcmp(how, "meets")) printf("%d\n", tasks_are_left(threads));
  else if (!strcmp(how, "sums")) printf("%g\n", last_come_first(threads));
  else return 2;
}
