/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads with a team each, of no more threads than there are cores, take records from one slow pipe in a critical section.
   Together they are more: those that wait for it are to sleep soon, as in libgomp, and not to spin as long as one may that has a core
   for itself. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "slow_records.h"

enum { roots = 2 };

static void *take_records(void *sum_of_root) {
  long sum = 0;
#pragma omp parallel num_threads(omp_get_num_procs()) reduction(+ : sum)
  for (int record, got;; sum += record) {
#pragma omp critical
    got = read(ends[0], &record, sizeof record);
    if (got != sizeof record) break;
  }
  *(long *)sum_of_root = sum;
  return NULL;
}

int main(void) {
  double computed_before = now(CLOCK_PROCESS_CPUTIME_ID);
  pthread_t threads[roots];
  long sums[roots], sum = 0;
  start_feeder();
  for (int i = 0; i < roots; ++i) {
    if (pthread_create(&threads[i], NULL, take_records, &sums[i])) abort();
  }
  for (int i = 0; i < roots; ++i) {
    pthread_join(threads[i], NULL);
    sum += sums[i];
  }
  join_feeder();
  printf("%ld\n", sum);
  double computed = now(CLOCK_PROCESS_CPUTIME_ID) - computed_before;
  if (getenv("WEIR_LANE") && computed > records / 2000.0) fprintf(stderr, "%.2f s of a core for %d records\n", computed, records);
  return 0;
}
