/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that are shared out by the number of threads, or seen by a thread's: EQUAL, STEPS, EVERY, CHUNKS, ENTRIES, LARGEST or PICKED; or
   whose passes wait for each other: SPINS. Of one, MASTER, nothing tells how many there are. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { items = 400 };
static long done[items];
static void work(int i) {
  nanosleep(&(struct timespec){0, 20000}, NULL);
  ++done[i];
}
static long all_done(void) {
  long sum = 0;
  for (int i = 0; i < items; ++i) sum += done[i] * i;
  return sum;
}

#if defined(EQUAL)
/* Parts of one length each; two divides it. */
static void run(void) {
#pragma omp parallel
  {
    int part = items / omp_get_num_threads(), me = omp_get_thread_num();
    for (int i = me * part; i < (me + 1) * part; ++i) work(i);
  }
}
#elif defined(STEPS)
/* With a table of which no thread ever asks how long it must be. */
static long sums[4 * 16];
static void run(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    for (int i = me; i < items; i += omp_get_num_threads()) work(i), sums[me] += i;
  }
}
#elif defined(EVERY)
/* Says how far it is every tenth of a part. */
static void run(void) {
  long seen = 0;
#pragma omp parallel reduction(+ : seen)
  {
    int every = items / omp_get_num_threads() / 10;
#pragma omp for schedule(static)
    for (int i = 0; i < items; ++i) {
      work(i);
      if (i % every == 0) ++seen;
    }
  }
  printf("said %d times\n", seen > 0);
}
#elif defined(CHUNKS)
static void run(void) {
  int parts = omp_get_max_threads(), part = items / parts;
#pragma omp parallel for
  for (int p = 0; p < parts; ++p) {
    for (int i = p * part; i < (p + 1) * part; ++i) work(i);
  }
}
#elif defined(ENTRIES)
static void run(void) {
  int threads = omp_get_max_threads();
  long *of_each = calloc(threads, sizeof *of_each);
#pragma omp parallel for
  for (int i = 0; i < items; ++i) {
    work(i);
    ++of_each[omp_get_thread_num()];
  }
  for (int t = 0; t < threads; ++t) printf("thread %d: %ld\n", t, of_each[t]);
  free(of_each);
}
#elif defined(LARGEST)
/* How well the work is shared out. */
static void run(void) {
  int most = 0, least = items;
#pragma omp parallel reduction(max : most) reduction(min : least)
  {
    int mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < items; ++i) work(i), ++mine;
    most = least = mine;
  }
  printf("most %d least %d\n", most, least);
}
#elif defined(SPINS)
/* Each pass waits for the one before, and looks whether that is over. */
static char over[items];
static void run(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < items; ++i) {
    work(i);
    if (i) {
      while (!__atomic_load_n(&over[i - 1], __ATOMIC_ACQUIRE)) {}
    }
    __atomic_store_n(&over[i], 1, __ATOMIC_RELEASE);
  }
}
#elif defined(MASTER)
/* The first thread prepares what all do then, again and again: gcc asks for its number. */
static void run(void) {
#pragma omp parallel
  for (int step = 0; step < 3; ++step) {
#pragma omp master
    for (int i = 0; i < items; i += 7) done[i] += step;
#pragma omp barrier
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < items; ++i) work(i);
}
#elif defined(PICKED)
/* The first thread says how far its part is. */
static void run(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < items; ++i) {
    work(i);
    if (omp_get_thread_num() == 0 && i % 20 == 0) printf("at %d\n", i);
  }
}
#endif

int main(void) {
  run();
  printf("%ld\n", all_done());
  return 0;
}
