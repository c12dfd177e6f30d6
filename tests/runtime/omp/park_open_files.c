/* SPDX-License-Identifier: Apache-2.0 */
/* Each iteration has many files open, as one that merges them: park_open_files SOFT HARD. Under these limits two threads have room. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { files = 16 };

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct rlimit limit = {(rlim_t)atol(argv[1]), (rlim_t)atol(argv[2])};
  if (setrlimit(RLIMIT_NOFILE, &limit)) return 2;
  long failed = 0, sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : failed, sum)
  for (int i = 0; i < 400; ++i) {
    int fds[files];
    FILE *streams[files];
    for (int f = 0; f < files; ++f) {
      fds[f] = open("/dev/null", O_RDONLY);
      streams[f] = fopen("/dev/zero", "r");
      failed += fds[f] < 0 || !streams[f];
    }
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    for (int f = 0; f < files; ++f) {
      if (fds[f] >= 0) sum += close(fds[f]) == 0;
      if (streams[f]) sum += fclose(streams[f]) == 0;
    }
  }
  printf("failed %ld sum %ld\n", failed, sum);
  return failed != 0;
}
