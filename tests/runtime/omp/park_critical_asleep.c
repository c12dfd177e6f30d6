/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen threads take records from a slow pipe, in a critical section or with a lock held. Those that wait for it are to sleep, as in libgomp,
   and not to spin. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { threads = 16, records = 400 };

static int ends[2];

static void *feed(void *unused) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int i = 0; i < records; ++i) {
    nanosleep(&pause, NULL);
    if (write(ends[1], &i, sizeof i) != sizeof i) abort();
  }
  close(ends[1]);
  return unused;
}

static double now(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

static long records_with_lock(omp_lock_t *lock) {
  pthread_t feeder;
  if (pipe(ends) || pthread_create(&feeder, NULL, feed, NULL)) abort();
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  for (int record, got;; sum += record) {
    if (lock) {
      omp_set_lock(lock);
      got = read(ends[0], &record, sizeof record);
      omp_unset_lock(lock);
    } else {
#pragma omp critical
      got = read(ends[0], &record, sizeof record);
    }
    if (got != sizeof record) break;
  }
  pthread_join(feeder, NULL);
  close(ends[0]);
  return sum;
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double began = now(CLOCK_MONOTONIC);
  printf("%ld\n", records_with_lock(NULL));
  printf("%ld\n", records_with_lock(&lock));
  double took = now(CLOCK_MONOTONIC) - began, computed = now(CLOCK_PROCESS_CPUTIME_ID);
  if (getenv("WEIR_LANE") && computed > took / 2) fprintf(stderr, "%.2f s of a core in %.2f s\n", computed, took);
  return 0;
}
