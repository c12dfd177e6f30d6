// SPDX-License-Identifier: Apache-2.0
// Tasks that wait for each other by taskyield: what one of them waits for, the one that lies below it on its thread may have to do.
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { tasks = 100, children = 4, rounds = 8 };

// A lock that is given to who came first.
static atomic_int next, served;

static void lock(void) {
  int mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&served) != mine) {
#pragma omp taskyield
  }
}

// A moment, in which others come to want it.
static void hold(void) {
  for (volatile int i = 0; i < 20000; i++) {}
}

static void unlock(void) { atomic_fetch_add(&served, 1); }

int main(void) {
  long sum = 0, made = 0;
  atomic_int over = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < tasks; i++)
#pragma omp task firstprivate(i) shared(sum)
    {
      usleep((useconds_t)(1000 + i * 7919 % 1000));
      lock();
      sum += i;
      hold();
      unlock();
    }
  }
  printf("in turn: %ld\n", sum);

  // Some of them make others before they take their turn, and those that go on meanwhile want theirs.
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++)
#pragma omp task firstprivate(i) shared(sum, made)
  {
    usleep((useconds_t)(500 + i * 7919 % 1000));
    for (int k = 0; k < children; k++)
#pragma omp task shared(made)
    {
      usleep(200);
#pragma omp atomic
      made++;
    }
    lock();
    sum -= i;
    unlock();
#pragma omp taskwait
  }
  printf("who make others, in turn: %ld, made %ld\n", sum, made);

  // The one that makes them waits so for all.
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < tasks; i++)
#pragma omp task shared(sum, over)
    {
      usleep(500);
      lock();
      sum++;
      unlock();
      atomic_fetch_add(&over, 1);
    }
    while (omp_get_num_threads() > 1 && atomic_load(&over) < tasks) {
#pragma omp taskyield
    }
  }
  printf("waited for: %ld\n", sum);
  return 0;
}
