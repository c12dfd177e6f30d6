/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen threads take records from a slow pipe, in a critical section or with a lock held. Those that wait for it are to sleep, as in libgomp,
   and not to spin. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "slow_records.h"

enum { threads = 16 };

static long records_with_lock(omp_lock_t *lock) {
  start_feeder();
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
  join_feeder();
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
