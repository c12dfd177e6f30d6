// SPDX-License-Identifier: Apache-2.0
// What can't be set aside, the code that makes tasks, or a task in the place of another, reads what a task is to write that was set aside on
// the same thread: it makes way for that one meanwhile.
#include <stdio.h>
#include <unistd.h>

enum { rounds = 20 };

static int there[2], back[2];

static int got(int end) {
  char byte = 0;
  return read(end, &byte, 1) == 1 ? byte : -1;
}
static void give(int end, char byte) {
  if (write(end, &byte, 1) != 1) printf("not written\n");
}

static int by_who_makes_them(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      usleep(2000);
      give(there[1], 1);
    }
#pragma omp taskyield
    sum = got(there[0]);
  }
  return sum;
}

static int by_one_in_place(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
#pragma omp task if (0)
        got(there[0]);
        give(back[1], 2);
      }
      usleep(2000);
      give(there[1], 1);
    }
    sum = got(back[0]);
  }
  return sum;
}

static int by_one_of_a_final_one(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      {
#pragma omp task final(1)
        {
#pragma omp task
          got(there[0]);
        }
        give(back[1], 3);
      }
      usleep(2000);
      give(there[1], 1);
    }
    sum = got(back[0]);
  }
  return sum;
}

int main(void) {
  if (pipe(there) || pipe(back)) return 1;
  for (int i = 0; i < rounds; i++) printf("%d %d %d\n", by_who_makes_them(), by_one_in_place(), by_one_of_a_final_one());
  return 0;
}
