/* SPDX-License-Identifier: Apache-2.0 */
/* pread, pwrite and their vectors. must count: suspended fast_hits */
#include "case.h"

static char buffer[1 << 20];

static void reads(int fd, const char *state) {
  printf("-- %s\n", state);
  say_data("pread", pread(fd, buffer, 10000, 5000), buffer);
  say_data("pread of all", pread(fd, buffer, sizeof buffer, 0), buffer);
  say_data("pread over the end", pread(fd, buffer, 10000, 299000), buffer);
  say_data("pread behind the end", pread(fd, buffer, 10, 400000), buffer);
  say("pread 0", pread(fd, buffer, 0, 3));
  say("pread at -1", pread(fd, buffer, 10, -1));
  say("pread at -5", pread(fd, buffer, 10, -5));
  say("pread into nothing", pread(fd, (void *)8, 10, 0));
  struct iovec parts[4] = {{buffer, 1}, {buffer + 1, 7000}, {buffer + 7001, 0}, {buffer + 7001, 100}};
  say_data("preadv", preadv(fd, parts, 4, 123), buffer);
  say_data("preadv2", preadv2(fd, parts, 4, 456, 0), buffer);
  lseek(fd, 1000, SEEK_SET);
  say_data("preadv2 at the shared offset", preadv2(fd, parts, 4, -1, 0), buffer);
  say("offset", lseek(fd, 0, SEEK_CUR));
  say("preadv2 at -2", preadv2(fd, parts, 4, -2, 0));
  say("preadv at -1", preadv(fd, parts, 4, -1));
  say("preadv of 0 parts", preadv(fd, parts, 0, 0));
  say("preadv of 1025 parts", preadv(fd, parts, 1025, 0));
  say("preadv, bad parts", preadv(fd, (struct iovec *)16, 2, 0));
  say("preadv2, unknown flag", preadv2(fd, parts, 4, 0, 1 << 30));
}

int main(void) {
  int fd = temporary(300000);
  reads(fd, "hot");
  for (int i = 0; i < 3; ++i) {
    chill(fd);
    reads(fd, "cold");
  }
  // Of what is asked for, only the beginning is cached.
  for (int i = 0; i < 3; ++i) {
    chill(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    pread(fd, buffer, 1, 4096);
    say_data("a part is cached", pread(fd, buffer, sizeof buffer, 4096), buffer);
    posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
  }
  struct iovec out[2] = {{"hello ", 6}, {"world", 5}};
  say("pwrite", pwrite(fd, "abcdef", 6, 10));
  say("pwrite at -1", pwrite(fd, "abcdef", 6, -1));
  say("pwritev", pwritev(fd, out, 2, 100));
  say("pwritev2", pwritev2(fd, out, 2, 200, 0));
  lseek(fd, 300000, SEEK_SET);
  say("pwritev2 at the shared offset", pwritev2(fd, out, 2, -1, 0));
  say("offset", lseek(fd, 0, SEEK_CUR));
  say("fsync", fsync(fd));
  say("fdatasync", fdatasync(fd));
  say_data("all", pread(fd, buffer, sizeof buffer, 0), buffer);
  close(fd);
  say("closed: pread", pread(fd, buffer, 1, 0));
  say("closed: fsync", fsync(fd));
  int p[2];
  assert(!pipe(p));
  write(p[1], "x", 1);
  say("pipe: pread", pread(p[0], buffer, 1, 0));
  say("pipe: pwrite", pwrite(p[1], buffer, 1, 0));
  say("pipe: fsync", fsync(p[0]));
  close(p[0]), close(p[1]);
  fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_DIRECT, 0600);
  if (fd >= 0) {
    char *page = aligned_alloc(4096, 8192);
    memset(page, 'd', 8192);
    say("O_DIRECT: pwrite", pwrite(fd, page, 8192, 0));
    say("O_DIRECT: pwrite, misaligned", pwrite(fd, page + 1, 8192, 0));
    memset(page, 0, 8192);
    say_data("O_DIRECT: pread", pread(fd, page, 8192, 0), page);
    say_data("O_DIRECT: pread at the end", pread(fd, page, 8192, 4096), page);
    say("O_DIRECT: pread, misaligned", pread(fd, page + 1, 512, 0));
    lseek(fd, 0, SEEK_SET);
    say_data("O_DIRECT: read", read(fd, page, 4096), page);
    say_data("O_DIRECT: read", read(fd, page, 8192), page);
    say("O_DIRECT: write", write(fd, page, 4096));
    say("O_DIRECT: offset", lseek(fd, 0, SEEK_CUR));
    close(fd);
  }
  fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_SYNC, 0600);
  if (fd >= 0) {
    say("O_SYNC: write", write(fd, "sync", 4));
    say("O_SYNC: pwrite", pwrite(fd, "sync", 4, 2));
    say_data("O_SYNC: pread", pread(fd, buffer, 10, 0), buffer);
    close(fd);
  }
  return 0;
}
