// SPDX-License-Identifier: Apache-2.0
// [ordered]: what clang's code asks libomp for by the thread number that its entry had, and a wait that may be none.
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wait_us.h"

// Objects in memory of libomp's, had and given back by tasks that went on on other threads.
static long objects(void) {
  long right = 0;
#pragma omp parallel shared(right)
#pragma omp single
  for (int i = 0; i < 1000; ++i) {
#pragma omp task firstprivate(i) shared(right) untied
    {
      enum { many = 40 };
      omp_depend_t object[many];
      int on[many];
      wait_us(100 + i * 37 % 11 * 20);
      for (int k = 0; k < many; ++k) {
#pragma omp depobj(object[k]) depend(inout : on[k])
      }
      // The address that it is about stands in the first word.
      for (int k = 0; k < many; ++k) {
        intptr_t about;
        memcpy(&about, (void *)object[k], sizeof about);
#pragma omp atomic
        right += about == (intptr_t)&on[k];
      }
      for (int k = 0; k < many; ++k) {
#pragma omp depobj(object[k]) destroy
      }
    }
  }
  return right;
}

// `taskwait nowait` orders what comes after it. What it waits for was set aside here; the other thread is busy.
static long ordered(void) {
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
    atomic_int over = 0;
#pragma omp parallel num_threads(2) shared(sum, over)
    {
#pragma omp single nowait
      {
        long x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
        {
          wait_us(2000);
          x = 1;
        }
#pragma omp task depend(out : y) shared(y)
        {
          wait_us(500);
          y = 1;
        }
#pragma omp taskwait depend(in : y)
        sum += y;
#pragma omp taskwait depend(inout : x) nowait
#pragma omp task depend(in : x) shared(x, sum)
        sum += x;
#pragma omp taskwait
        atomic_store(&over, 1);
      }
      while (!atomic_load(&over)) {}
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  int alone = argc > 1 && !strcmp(argv[1], "ordered");
  if (!alone) printf("objects %ld\n", objects());
  if (alone) printf("ordered %ld\n", ordered());
  return 0;
}
