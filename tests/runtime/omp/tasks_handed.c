// SPDX-License-Identifier: Apache-2.0
// Where a task holds a lock and waits, its thread may begin none but its descendants: what it took of others is somebody
// else's to begin, be the parent over by then. Knows nothing of weir. Argument: how often.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void block(long us) {
  struct timespec t = {0, us * 1000};
  nanosleep(&t, NULL);
}

static long sum;

static void add(long n) {
#pragma omp atomic
  sum += n;
}

static void wait_with(omp_lock_t* lock, long n) {
  omp_set_lock(lock);
  for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i, n)
    {
      block(200);
      add(n + i);
    }
  }
  block(100);
#pragma omp taskwait
  omp_unset_lock(lock);
}

// Others may wait for its end, so what it leaves behind can't be set aside; it does not wait for that.
static void leave_behind(char* name, long n) {
#pragma omp task depend(out : name[0]) firstprivate(n)
  for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i, n)
    {
      block(50);
      add(10 * n + i);
    }
  }
#pragma omp task depend(inout : name[0]) firstprivate(n)
  for (int i = 0; i < 2; i++) {
#pragma omp task depend(out : name[i]) firstprivate(n)
    add(n);
#pragma omp task depend(in : name[i]) firstprivate(n)
    add(2 * n);
  }
}

// Its child may be elsewhere, and wants the lock of one whose children this thread may have taken.
static void want(omp_lock_t* own, omp_lock_t* other, long n) {
  omp_set_lock(own);
#pragma omp task firstprivate(n)
  {
    block(50);
    omp_set_lock(other);
    add(n);
    omp_unset_lock(other);
  }
  block(50);
#pragma omp taskwait
  omp_unset_lock(own);
}

enum { tasks = 24 };

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  static omp_lock_t locks[tasks], common;
  static char names[tasks][2];
  omp_init_lock(&common);
  for (int i = 0; i < tasks; i++) omp_init_lock(&locks[i]);
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
      wait_with(&locks[i], i);
      leave_behind(names[i], i);
    }
#pragma omp parallel
#pragma omp for
    for (int i = 0; i < tasks; i++) {
#pragma omp task firstprivate(i)
      if (i % 3) want(&locks[i], &common, i);
      else wait_with(&common, i);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
