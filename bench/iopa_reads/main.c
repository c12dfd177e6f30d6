/* SPDX-License-Identifier: Apache-2.0 */
/* iopa_reads FILE SECONDS THREADS: random 4 KiB O_DIRECT reads by the pool of iopa.h. THREADS 0: the controller's number.
 * A "file" of the pool is a batch of reads. Last line: items and seconds. WEIR_VERBOSE=1 tells each decision. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <weir/iopa.h>

enum { block = 4096, batch = 32, most_batches = 4 << 20 };
static int fd;
static uint64_t blocks;
static double ends;
static atomic_llong done;
static atomic_ullong seed = 1;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *reads(void *arg) {
  uint64_t x = atomic_fetch_add(&seed, 1) * 0x9e3779b97f4a7c15u;
  char *memory = aligned_alloc(block, block);
  while (IOPA_NextFile()) {
    if (now() > ends) continue;
    for (int i = 0; i < batch; ++i) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      if (pread(fd, memory, block, (off_t)(x % blocks * block)) != block) {
        perror("pread");
        exit(1);
      }
    }
    atomic_fetch_add(&done, batch);
  }
  free(memory);
  return arg;
}

static void tell(const IOPA_Decision *d, void *user) {
  (void)user;
  fprintf(stderr, "%7.2f s %4d threads  %-8s %8.1f MB/s  %s\n", d->time_s, d->threads, d->state, d->bytes_per_s / 1e6,
          d->reason);
}

int main(int argc, char **argv) {
  struct stat about;
  if (argc != 4 || (fd = open(argv[1], O_RDONLY | O_DIRECT)) < 0 || fstat(fd, &about)) {
    fprintf(stderr, "iopa_reads FILE SECONDS THREADS\n");
    return 2;
  }
  blocks = (uint64_t)about.st_size / block;
  IOPA_Config config = {.size = sizeof config, .min_threads = atoi(argv[3]), .max_threads = atoi(argv[3])};
  if (getenv("WEIR_VERBOSE")) config.on_decision = tell;
  const char **names = calloc(most_batches, sizeof *names);
  for (int i = 0; i < most_batches; ++i) names[i] = "batch";
  double began = now(), seconds = atof(argv[2]);
  ends = began + seconds;
  if (IOPA_Init(&config) || IOPA_CreateThreads(reads, NULL, names, most_batches) || IOPA_WaitComplete() || IOPA_Close()) {
    fprintf(stderr, "iopa_reads: the pool failed\n");
    return 1;
  }
  printf("items=%lld seconds=%.3f\n", atomic_load(&done), now() - began);
  free(names);
  return 0;
}
