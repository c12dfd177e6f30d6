/* SPDX-License-Identifier: Apache-2.0 */
/* all | beside | moved | aside: tasks for a device that is not there (`target nowait`): threads of libomp's own run them, and hand over what depends on them. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wait_us.h"

enum { count = 48 };

/* Before any of the program's is for a device, tasks are set aside as ever. */
static long without_device(void) {
  long values[count] = {0}, sum = 0;
#pragma omp parallel shared(values)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(values)
    {
      wait_us(300 + i % 5 * 100);
      values[i] = i;
    }
  }
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

static long on_device(void) {
  int values[count] = {0};
  long sum = 0;
#pragma omp parallel shared(values)
#pragma omp single
  {
    for (int i = 0; i < count; ++i) {
#pragma omp target nowait map(tofrom : values[i : 1]) depend(out : values[i])
      {
        wait_us(200 + i % 7 * 50);
        values[i] = i;
      }
#pragma omp task firstprivate(i) shared(values) depend(inout : values[i])
      {
        wait_us(100 + i % 3 * 100);
#pragma omp task firstprivate(i) shared(values)
        {
          wait_us(100);
          values[i] += 1;
        }
#pragma omp taskwait
      }
#pragma omp task firstprivate(i) shared(values) depend(inout : values[i]) untied
      {
        wait_us(50);
        values[i] *= 2;
      }
    }
#pragma omp taskwait
  }
  for (int i = 0; i < count; ++i) sum += values[i];
  return sum;
}

/* Its own children alone are waited for, those of libomp's threads among them: not what a child left behind. */
static long beside_lingering(void) {
  long seen = 0;
#pragma omp parallel shared(seen)
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task shared(seen)
    {
      int value = 0;
#pragma omp task
      {
#pragma omp task
        wait_us(1000);
      }
      wait_us(100);
#pragma omp target nowait map(tofrom : value)
      {
        wait_us(3000);
        value = 1;
      }
#pragma omp taskwait
#pragma omp atomic
      seen += value;
    }
  }
  return seen;
}

/* A task that went on on another thread creates them there. */
static long by_one_that_moved(void) {
  long seen = 0;
#pragma omp parallel shared(seen)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task firstprivate(i) shared(seen) untied
    {
      int values[3] = {0};
      wait_us(200 + i * 37 % 11 * 100);
      for (int k = 0; k < 3; ++k) {
#pragma omp target nowait map(tofrom : values) depend(inout : values[0])
        {
          wait_us(200);
          if (values[0] == k) values[0] = k + 1;
        }
      }
#pragma omp task shared(values) depend(inout : values[0])
      values[1] = values[0] == 3;
#pragma omp taskwait
#pragma omp atomic
      seen += values[1];
    }
  }
  return seen;
}

/* What a task for a device waits for was set aside before there was any; the other thread is busy. */
static long of_one_set_aside(void) {
  long seen = 0;
  atomic_int over = 0;
#pragma omp parallel num_threads(2) shared(seen, over)
  {
    int value = 0;
#pragma omp single nowait
    {
#pragma omp task shared(value) depend(out : value)
      {
        wait_us(2000);
        value = 1;
      }
#pragma omp taskgroup
      {
#pragma omp target nowait map(tofrom : value) depend(inout : value)
        value += value;
      }
      seen = value;
      atomic_store(&over, 1);
    }
    while (!atomic_load(&over)) {}
  }
  return seen;
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "all";
  if (!strcmp(which, "beside")) return printf("%ld\n", beside_lingering()), 0;
  if (!strcmp(which, "moved")) {
    long seen = 0;
    for (int round = 0; round < 6; ++round) seen += by_one_that_moved();
    return printf("%ld\n", seen), 0;
  }
  if (!strcmp(which, "aside")) return printf("%ld\n", of_one_set_aside()), 0;
  long sum = without_device();
  for (int round = 0; round < 5; ++round) sum += on_device();
  printf("sum %ld\n", sum);
}
