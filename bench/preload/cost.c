/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs that weir has nothing to do with: to be run bare and under the preload (./compare does). Prints the
 * best of many rounds, in nanoseconds a call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int fd;
static char page[4096];
static FILE *file;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void read_page(void) {
  if (pread(fd, page, sizeof page, 0) != sizeof page) abort();
}
static void lock_pair(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void read_line(void) {
  char line[64];
  if (!fgets(line, sizeof line, file)) rewind(file);
}

static double best_ns(void (*call)(void), int calls) {
  double best = 1e9;
  for (int round = 0; round < 60; ++round) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < calls; ++i) call();
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / calls;
    if (ns < best) best = ns;
  }
  return best;
}

int main(void) {
  char name[] = "/tmp/weir-cost-XXXXXX";
  fd = mkstemp(name);
  unlink(name);
  for (int i = 0; i < 4; ++i)
    if (write(fd, page, sizeof page) != sizeof page) return 1;
  file = tmpfile();
  for (int i = 0; i < 2000; ++i) fprintf(file, "a line of text, number %d\n", i);
  rewind(file);
  printf("pread_4k_hot_ns %.1f\n", best_ns(read_page, 20000));
  printf("mutex_pair_ns %.2f\n", best_ns(lock_pair, 200000));
  printf("fgets_ns %.1f\n", best_ns(read_line, 100000));
  return 0;
}
