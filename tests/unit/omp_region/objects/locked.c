/* SPDX-License-Identifier: Apache-2.0 */
/* Regions whose threads take more until none is left. In locked_ ones they wait with a lock held, and not without. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static long sum, next;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static omp_lock_t lock;

static APART long take(long at) {
  char byte;
  return pread(0, &byte, 1, at) == 1 ? byte : -1;
}
static APART void compute(long from) { __atomic_fetch_xor(&sum, from * from, __ATOMIC_RELAXED); }

void locked_critical(void) {
#pragma omp parallel
  for (;;) {
    long byte;
#pragma omp critical
    byte = take(next++);
    if (byte < 0) break;
    compute(byte);
  }
}

void locked_mutex(void) {
#pragma omp parallel
  for (;;) {
    char byte;
    pthread_mutex_lock(&mutex);
    int left = pread(0, &byte, 1, next++) == 1;
    pthread_mutex_unlock(&mutex);
    if (!left) break;
    compute(byte);
  }
}

void locked_omp_lock(void) {
#pragma omp parallel
  for (long byte = 0; byte >= 0;) {
    omp_set_lock(&lock);
    byte = take(next++);
    omp_unset_lock(&lock);
    if (byte >= 0) compute(byte);
  }
}

void free_after_lock(void) {
#pragma omp parallel
  for (;;) {
    long at;
#pragma omp critical
    at = next++;
    long byte = take(at);
    if (byte < 0) break;
    compute(byte);
  }
}

void free_on_one_way(void) {
#pragma omp parallel
  for (;;) {
    long at, byte = 0;
#pragma omp critical
    {
      at = next++;
      if (at % 2) byte = take(at);
    }
    if (at % 2 == 0) byte = take(at);
    if (byte < 0) break;
    compute(byte);
  }
}

void free_by_locks_of_their_own(void) {
  static pthread_mutex_t each[64];
#pragma omp parallel
  for (;;) {
    long at = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&each[at % 64]);
    long byte = take(at);
    pthread_mutex_unlock(&each[at % 64]);
    if (byte < 0) break;
    compute(byte);
  }
}

void free_of_waits(void) {
#pragma omp parallel
  for (long at = 0; at < 100;) {
#pragma omp critical
    at = next++;
    compute(at);
  }
}
