/* SPDX-License-Identifier: Apache-2.0 */
/* Who takes the first pieces of a loop: of a large team few threads where they keep the cores busy, for as long as they do, and all
 * where their calls wait. Prints the same with two threads. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_us(long us) { nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL); }

static double compute(int passes) {
  double sum = 0;
  for (int i = 1; i <= passes; ++i) sum += 1.0 / i / i;
  return sum;
}

/* Counted by the kernel's numbers: a program that asks the runtime, or keeps something for each thread, may count on teams of one
 * size, and these take turns as ever. */
static int takers;
static char took[1 << 16];
static double result;

static int is_first(char *flags) { return !__atomic_exchange_n(&flags[(unsigned)syscall(SYS_gettid) % (1 << 16)], 1, __ATOMIC_RELAXED); }

static void loop(int pieces, int passes, long us) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) {
    if (is_first(took)) __atomic_add_fetch(&takers, 1, __ATOMIC_RELAXED);
    wait_us(us);
    sum += compute(passes);
  }
  result = sum;
}

static void busy(void) {
  loop(2500, 400000, 20);
  if (takers > 64 * sysconf(_SC_NPROCESSORS_ONLN)) printf("busy: %d take pieces\n", takers);
  else puts("busy: few take pieces");
}

/* As many as there are cores, or nearly all of the stand-ins. */
static void waiting(void) {
  loop(700, 10, 10000);
  if (takers > sysconf(_SC_NPROCESSORS_ONLN) && takers < 200) printf("waiting: %d take pieces\n", takers);
  else puts("waiting: all take pieces");
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) waiting();
  else busy();
  return result > 0 ? 0 : 1;
}
