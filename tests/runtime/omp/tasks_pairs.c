/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of tasks: one reads a file and sends a byte of it, the other waits for that. A thread that blocks for the second while the first is
 * set aside, and goes on nowhere else, waits for ever. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { pairs = 150, block = 4096 };
static int ends[pairs][2];

static int make_file(void) {
  char name[] = "/var/tmp/pairs-XXXXXX";
  int file = mkstemp(name);
  static unsigned char bytes[block];
  for (int i = 0; i < pairs; ++i) {
    for (int at = 0; at < block; ++at) bytes[at] = (unsigned char)(i + at);
    if (write(file, bytes, block) != block) exit(2);
  }
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  int direct = open(name, O_RDONLY | O_DIRECT);
  unlink(name);
  return direct < 0 ? file : direct;
}

int main(void) {
  int file = make_file();
  long sum = 0;
  for (int i = 0; i < pairs; ++i)
    if (i % 2 ? pipe(ends[i]) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i])) return 2;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < pairs; ++i) {
#pragma omp task
    {
      void *bytes = NULL;
      if (posix_memalign(&bytes, block, block) || pread(file, bytes, block, (long)i * block) != block) exit(2);
      if (write(ends[i][1], bytes, 1) != 1) exit(2);
      free(bytes);
    }
#pragma omp task shared(sum)
    {
      unsigned char got = 0;
      if (read(ends[i][0], &got, 1) != 1) exit(2);
#pragma omp atomic
      sum += got;
    }
  }
  printf("pairs: %ld\n", sum);
  return 0;
}
