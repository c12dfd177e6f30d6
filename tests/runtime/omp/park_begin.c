/* SPDX-License-Identifier: Apache-2.0 */
/* Who takes the first pieces of a loop: of a large team few threads where they keep the cores busy, for as long as they do, and all
 * where their calls wait; but where what they read is long, about as many as then may read at once. Prints the same with two threads. */
#define _GNU_SOURCE
#include <fcntl.h>
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

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

enum { LONG = 1 << 20, PLACES = 32, ENOUGH = 16 };
static int file = -1, pieces_done;
static double enough_s, began_s;

static void read_long(int pieces) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < pieces; ++i) {
    if (is_first(took)) __atomic_add_fetch(&takers, 1, __ATOMIC_RELAXED);
    void *bytes = NULL;
    if (posix_memalign(&bytes, 4096, LONG)) abort();
    if (pread(file, bytes, LONG, (off_t)(i % PLACES) * LONG) != LONG) abort();
    if (__atomic_add_fetch(&pieces_done, 1, __ATOMIC_RELAXED) == ENOUGH) enough_s = now_s() - began_s;
    sum += 1;
    free(bytes);
  }
  result = sum;
}

/* A disk so slow that nothing is known soon, or the loop goes on until other numbers are tried, shows nothing here. */
static void reading(const char *name) {
  unlink(name);
  file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  static char some[LONG];
  for (int i = 0; i < PLACES; ++i)
    if (write(file, some, LONG) != LONG) abort();
  fsync(file);
  close(file);
  file = open(name, O_RDONLY | O_DIRECT);
  unlink(name);
  began_s = now_s();
  if (file >= 0) read_long(300);
  else result = 1;
  double took_s = now_s() - began_s;
  /* A crew has eight threads a core, as few as there may be. */
  if (enough_s < 0.05 && took_s < 0.9 && takers > 100 && takers > 8 * sysconf(_SC_NPROCESSORS_ONLN)) printf("reading: %d take pieces\n", takers);
  else puts("reading: few take pieces");
}

int main(int argc, char **argv) {
  if (argc > 2) reading(argv[2]);
  else if (argc > 1) waiting();
  else busy();
  return result > 0 ? 0 : 1;
}
