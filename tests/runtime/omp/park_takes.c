/* SPDX-License-Identifier: Apache-2.0 */
/* Regions that share nothing out by OpenMP, but whose threads each take more until none is left: they bear any number of them.
   park_takes HOW, one way in each run: each must have stand-ins. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { items = 300 };

static void wait_us(long us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }
static long work(long item) { return wait_us(300), item * item; }

struct queue {
  pthread_mutex_t lock;
  long next;
};
static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, 0};

__attribute__((noinline)) static int pop(struct queue *from, long *item) {
  pthread_mutex_lock(&from->lock);
  *item = from->next < items ? from->next++ : -1;
  pthread_mutex_unlock(&from->lock);
  return *item >= 0;
}

static long from_queue(void) {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  for (long item; pop(&queue, &item);) sum += work(item);
  return sum;
}

static long by_capture(void) {
  long sum = 0, next = 0;
#pragma omp parallel reduction(+ : sum)
  for (;;) {
    long item;
#pragma omp atomic capture
    item = next++;
    if (item >= items) break;
    sum += work(item);
  }
  return sum;
}

static long by_counter(void) {
  long sum = 0, item;
  atomic_long next = 0;
#pragma omp parallel private(item) reduction(+ : sum)
  while ((item = atomic_fetch_add(&next, 1)) < items) sum += work(item);
  return sum;
}

static long in_critical(void) {
  long sum = 0, next = 0;
#pragma omp parallel
  {
    long mine = 0;
    for (int more = 1; more;) {
      long item = -1;
#pragma omp critical(take)
      if (next < items) item = next++;
      more = item >= 0;
      if (more) mine += work(item);
    }
#pragma omp critical(give)
    sum += mine;
  }
  return sum;
}

static long with_lock(void) {
  long sum = 0, next = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel shared(lock)
  {
    long item;
    do {
      omp_set_lock(&lock);
      item = next++;
      omp_unset_lock(&lock);
      if (item < items) {
        long square = work(item);
#pragma omp atomic
        sum += square;
      }
    } while (item < items);
  }
  omp_destroy_lock(&lock);
  return sum;
}

/* One waits at a time: one stand-in is all that can be of use. */
static long all_with_lock(void) {
  long sum = 0, next = 0;
#pragma omp parallel reduction(+ : sum)
  for (long square = 0; square >= 0;) {
#pragma omp critical(wait)
    square = next < items ? work(next++) : -1;
    if (square >= 0) sum += square;
  }
  return sum;
}

/* The loop is in a function that the region calls. */
__attribute__((noinline)) static void serve(struct queue *from, long *sum) {
  long item, mine = 0;
  while (pop(from, &item)) mine += work(item);
#pragma omp atomic
  *sum += mine;
}
static long elsewhere(void) {
  long sum = 0;
#pragma omp parallel
  serve(&queue, &sum);
  return sum;
}

int main(int count, char **words) {
  struct {
    const char *how;
    long (*take)(void);
  } all[] = {{"queue", from_queue}, {"capture", by_capture}, {"counter", by_counter}, {"critical", in_critical}, {"lock", with_lock}, {"all_with_lock", all_with_lock}, {"elsewhere", elsewhere}};
  for (size_t i = 0; count > 1 && i < sizeof all / sizeof *all; ++i) {
    if (!strcmp(words[1], all[i].how)) printf("%s: %ld\n", all[i].how, all[i].take());
  }
  return 0;
}
