/* SPDX-License-Identifier: Apache-2.0 */
/* A program that says how many threads it wants, and counts on so many that compute at once, not on so many threads:
   park_count set|clause|environment. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { pieces = 200, wanted = 2 };

static atomic_int computing, most;
static volatile int unit = 1;  /* for a sum that is no count, as far as a compiler can tell */

static void wait_2ms(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

static long compute(void) {
  int now = atomic_fetch_add(&computing, 1) + 1;
  int before = atomic_load(&most);
  while (before < now && !atomic_compare_exchange_weak(&most, &before, now)) {}
  for (volatile int i = 0; i < 500000; ++i) {}
  atomic_fetch_sub(&computing, 1);
  return 1;
}

/* A clause's number, and the same loop without one. */
static long by_clause(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum) num_threads(wanted)
  for (int i = 0; i < pieces; ++i) {
    wait_2ms();
    sum += compute();
  }
  return sum;
}
static long by_number(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) {
    wait_2ms();
    sum += compute();
  }
  return sum;
}

/* Where a clause says more than a number, or none but one thread can be meant: how many there are. (Something in
 * each is for one thread: a region that shares nothing out has no more threads anyway.) */
static void exact_ones(int none) {
  int alone = 0, one = 0, bound = 0;
#pragma omp parallel num_threads(wanted) if (none) reduction(+ : alone)
  {
#pragma omp single nowait
    wait_2ms();
    alone += unit;
  }
#pragma omp parallel num_threads(1) reduction(+ : one)
  {
#pragma omp single nowait
    wait_2ms();
    one += unit;
  }
#pragma omp parallel num_threads(wanted) proc_bind(close) reduction(+ : bound)
  {
#pragma omp single nowait
    wait_2ms();
    bound += unit;
  }
  printf("%d, %d, %d\n", alone, one, bound);
}

int main(int argc, char **argv) {
  if (!strcmp(argv[1], "set")) omp_set_num_threads(wanted);
  for (int turn = 0; turn < 3; ++turn) printf("%ld\n", strcmp(argv[1], "clause") ? by_number() : by_clause());
  printf("no more than %d computed at once: %d\n", wanted, atomic_load(&most) <= wanted);
  if (!strcmp(argv[1], "clause")) exact_ones(argc > 2);
  /* One alone: it may count on the order. */
  omp_set_num_threads(1);
  atomic_store(&most, 0);
  printf("%ld, %d at once\n", by_number(), atomic_load(&most));
  return 0;
}
