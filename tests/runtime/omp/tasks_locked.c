// SPDX-License-Identifier: Apache-2.0
// Tasks that hold a lock while they wait for their children, which block. Knows nothing of weir.
// Argument: how often.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void block(long us) {
  struct timespec t = {0, us * 1000};
  nanosleep(&t, NULL);
}

static long with_children(long n) {
  long parts[6], sum = 0;
  for (int i = 0; i < 6; i++) {
#pragma omp task shared(parts) firstprivate(i, n)
    {
      block(300);
      parts[i] = n + i;
    }
  }
#pragma omp taskwait
  for (int i = 0; i < 6; i++) sum += parts[i];
  return sum;
}

static omp_lock_t lock;
static omp_nest_lock_t nest;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long guarded[6];

// Whoever holds the lock has children on other threads; what waits for the lock there must not keep them waiting.
static void locked(int kind, long n) {
  block(100 * (n * 7 % 12));
  switch (kind) {
    case 0:
      omp_set_lock(&lock);
      guarded[0] += with_children(n);
      omp_unset_lock(&lock);
      break;
    case 1:
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      guarded[1] += with_children(n);
      omp_unset_nest_lock(&nest);
      guarded[1] += 1;
      omp_unset_nest_lock(&nest);
      break;
    case 2:
#pragma omp critical
      guarded[2] += with_children(n);
      break;
    case 3:
#pragma omp critical(named)
      guarded[3] += with_children(n);
      break;
    case 4:
      pthread_mutex_lock(&mutex);
      guarded[4] += with_children(n);
      pthread_mutex_unlock(&mutex);
      break;
    default:
      pthread_rwlock_wrlock(&rwlock);
      guarded[5] += with_children(n);
      pthread_rwlock_unlock(&rwlock);
  }
}

int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  for (int round = 0; round < rounds; round++) {
    for (int kind = 0; kind < 6; kind++) {
#pragma omp parallel
#pragma omp for
      for (int i = 0; i < 12; i++) {
#pragma omp task firstprivate(i)
        locked(kind, i);
      }
    }
  }
  for (int kind = 0; kind < 6; kind++) printf("%ld\n", guarded[kind]);
  return 0;
}
