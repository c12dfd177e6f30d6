// SPDX-License-Identifier: Apache-2.0
// Threads that spin, yielding, for what a task does that was set aside. Argument: how often.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static void block(void) {
  struct timespec t = {0, 300000};
  nanosleep(&t, NULL);
}

static int taken;
static void lock(void) {
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void unlock(void) { __atomic_store_n(&taken, 0, __ATOMIC_RELEASE); }

// A spin lock held over a call, in tasks.
static int lock_held(void) {
  int inside = 0, violations = 0, done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; i++)
#pragma omp task
  {
    lock();
    if (inside++) violations++;
    block();
    inside--;
    done++;
    unlock();
  }
  return done * 100 + violations;
}

// gcc's own run-time does nothing at a taskyield.
#ifdef __clang__
// The implicit tasks themselves wait for tasks that began on their own threads and are tied to them.
static int thread_spins(void) {
  int begun = 0, done = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp task
    {
      __atomic_fetch_add(&begun, 1, __ATOMIC_ACQ_REL);
      block();
      __atomic_fetch_add(&done, 1, __ATOMIC_ACQ_REL);
    }
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < threads) {
#pragma omp taskyield
    }
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < threads) thrd_yield();
  }
  return done == threads;
}

#else
static int thread_spins(void) { return 1; }
#endif

// A task waits for one created before it, a chain of them, each over a call.
static int chain(void) {
  enum { length = 40 };
  static int stage;
  stage = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < length; i++)
#pragma omp task firstprivate(i)
  {
    while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != i) sched_yield();
    block();
    __atomic_store_n(&stage, i + 1, __ATOMIC_RELEASE);
  }
  return stage;
}

int main(int argc, char **argv) {
  for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--)
    printf("%d %d %d\n", lock_held(), thread_spins(), chain());
  return 0;
}
