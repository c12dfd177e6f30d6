/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose passes read what is cached, compute and make a file each, by open or by fopen: that is work of the kernel's, and nobody waits. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

enum { passes = 200, times = 10, bytes = 4096 };

static unsigned computed(const char *page, unsigned seed) {
  for (int i = 0; i < 8 * bytes; ++i) seed = seed * 1664525 + (unsigned char)page[i % bytes];
  return seed;
}

static void made(const char *name, const char *page, int by_number) {
  if (by_number) {
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0 || write(file, page, 100) != 100 || close(file)) abort();
  } else {
    FILE *file = fopen(name, "w");
    if (!file || fwrite(page, 1, 100, file) != 100 || fclose(file)) abort();
  }
}

int main(void) {
  /* In memory: a disk's journal may be waited for. A folder for each pass: makers wait for each other in one. */
  char folder[] = "/dev/shm/makes-XXXXXX", name[64];
  if (!mkdtemp(folder) || chdir(folder)) return 2;
  int data = open("data", O_CREAT | O_RDWR, 0600);
  if (data < 0 || ftruncate(data, bytes)) return 2;
  for (int i = 0; i < passes; ++i) {
    snprintf(name, sizeof name, "d%d", i);
    if (mkdir(name, 0700)) return 2;
  }
  unsigned sum = 0;
  for (int t = 0; t < times; ++t) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int i = 0; i < passes; ++i) {
      char page[bytes], file[64];
      if (pread(data, page, bytes, 0) != bytes) abort();
      sum += computed(page, (unsigned)i);
      for (int k = 0; k < 4; ++k) {
        snprintf(file, sizeof file, "d%d/f%d-%d", i, t, k);
        made(file, page, k % 2);
      }
    }
    usleep(1000);
  }
  printf("sum %u\n", sum);
  for (int i = 0; i < passes; ++i) {
    for (int t = 0; t < 4 * times; ++t) {
      snprintf(name, sizeof name, "d%d/f%d-%d", i, t / 4, t % 4);
      unlink(name);
    }
    snprintf(name, sizeof name, "d%d", i);
    rmdir(name);
  }
  unlink("data");
  return rmdir(folder) != 0;
}
