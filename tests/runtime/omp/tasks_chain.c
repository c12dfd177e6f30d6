/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that read one after the other, and for each one that computes: no more than two have anything to do at a time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { items = 300, bytes = 4096 };

static long compute(const unsigned char *from) {
  unsigned long x = 1;
  for (int pass = 0; pass < 10; ++pass)
    for (int i = 0; i < bytes; ++i) x = (x ^ from[i]) * 1099511628211u;
  return (long)(x >> 33);
}

int main(int argc, char **argv) {
  (void)argc;
  char name[4096];
  snprintf(name, sizeof name, "%s.data-%d", argv[0], getpid());
  int file = open(name, O_CREAT | O_RDWR | O_TRUNC | O_DIRECT, 0600);
  unlink(name);
  unsigned char *all = aligned_alloc(bytes, (size_t)items * bytes);
  for (int i = 0; i < items * bytes; ++i) all[i] = (unsigned char)(i * 7 + i / 251);
  if (file < 0 || pwrite(file, all, (size_t)items * bytes, 0) != (ssize_t)items * bytes) return 77;
  memset(all, 0, (size_t)items * bytes);

  static long sums[items];
  char turn = 0, *read_by = calloc(items, 1);
  (void)turn;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < items; ++i) {
    unsigned char *here = all + (size_t)i * bytes;
#pragma omp task depend(inout : turn) depend(out : read_by[i]) firstprivate(i, here)
    if (pread(file, here, bytes, (off_t)i * bytes) != bytes) abort();
#pragma omp task depend(in : read_by[i]) firstprivate(i, here)
    sums[i] = compute(here);
  }
  long sum = 0;
  for (int i = 0; i < items; ++i) sum = sum * 31 + sums[i];
  printf("%ld\n", sum);
  return 0;
}
