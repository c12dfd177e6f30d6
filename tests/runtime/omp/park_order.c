/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of a dynamic loop whose calls wait come one after the other, whoever takes them: in a large team no thread has a share
 * of its own, that others would have to look for. And each piece once: also in chunks, downwards, and where three loops follow each
 * other without a barrier. Prints the same with two threads, of which nothing is asked. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PIECES = 1200, LARGE = 64 };
static int begun, takers, ticket[PIECES], times[PIECES];
static char took[1 << 16];

static void piece(int i) {
  /* By the kernel's numbers: a program that asks the runtime may count on teams of one size. */
  char *mine = &took[(unsigned)syscall(SYS_gettid) % (1 << 16)];
  if (!__atomic_exchange_n(mine, 1, __ATOMIC_RELAXED)) __atomic_add_fetch(&takers, 1, __ATOMIC_RELAXED);
  ticket[i] = __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
  nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void tell(const char *what, int each, int in_order) {
  int wrong = 0, early = 0;
  for (int i = 0; i < PIECES; ++i) {
    wrong += times[i] != each;
    early += in_order && ticket[i] < i - 2 * takers;  /* though many before it were nobody's yet */
    times[i] = 0;
  }
  printf("%s: %d pieces done another number of times", what, wrong);
  if (takers > LARGE && takers < PIECES / 4 && early) printf(", %d before their turn", early);
  putchar('\n');
  begun = 0;
}

int main(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < PIECES; ++i) piece(i);
  tell("one by one", 1, 1);
#pragma omp parallel for schedule(dynamic, 7)
  for (long i = 0; i < PIECES; ++i) piece((int)i);
  tell("in chunks", 1, 0);
#pragma omp parallel for schedule(dynamic)
  for (unsigned long i = PIECES; i > 0; --i) piece((int)i - 1);
  tell("downwards", 1, 0);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < PIECES; ++i) piece(i);
#pragma omp for schedule(dynamic, 3) nowait
    for (unsigned i = 0; i < PIECES; ++i) piece((int)i);
#pragma omp for schedule(guided)
    for (int i = 0; i < PIECES; ++i) piece(i);
  }
  tell("three in a row", 3, 0);
  return 0;
}
