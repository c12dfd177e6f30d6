/* SPDX-License-Identifier: Apache-2.0 */
/* A program may close every number, and put what it likes under any: nothing of ours is written there, and calls go on
 * waiting as they do. Also run where the ring's thread can be woken only by a descriptor.
 * must count: suspended */
#include "case.h"

static int p[2];
static char buffer[100];

static void *write_late(void *unused) {
  nap_ms(10);
  write(p[1], "late", 4);
  return unused;
}
static void read_one(const char *what) {
  pthread_t t = start(write_late, 0);
  say(what, read(p[0], buffer, sizeof buffer));
  pthread_join(t, 0);
}

int main(void) {
  assert(!pipe(p));
  read_one("read before");
  for (int fd = 1000; fd < 1020; ++fd)
    if (close(fd) != -1 || errno != EBADF) printf("close of %d, which the program never opened\n", fd);
  read_one("read after close of each");
  int file = temporary(0), event = eventfd(0, EFD_NONBLOCK);
  for (int fd = 1000; fd < 1010; ++fd) say("dup2", dup2(file, fd));
  for (int fd = 1010; fd < 1020; ++fd) say("dup3", dup3(event, fd, O_CLOEXEC));
  for (int i = 0; i < 5; ++i) read_one("read after dup2 over everything");
  struct stat about;
  fstat(file, &about);
  printf("the file has %ld bytes\n", (long)about.st_size);
  uint64_t count;
  say("read of an event that never was", read(event, &count, 8));
  say("close of the program's own", close(1003));
  say("close_range", close_range(1004, 1200, 0));
  say("what was in its range", fcntl(1015, F_GETFD));
  say("what was not", fcntl(1002, F_GETFD));
  say("close_range upside down", close_range(9, 8, 0));
  read_one("read after close_range");
  closefrom(1000);
  say("what was above", fcntl(1001, F_GETFD));
  read_one("read after closefrom");
  file = open("/dev/null", O_RDWR);
  for (int fd = 1000; fd < 1100; ++fd)
    if (fcntl(fd, F_GETFD) == -1 && dup2(file, fd) != fd) printf("dup2 to %d failed\n", fd);
  read_one("read with every number taken");
  fflush(0);
  pid_t pid = fork();
  if (!pid) {
    read_one("read in the child");
    printf("numbers in the child: %d %d\n", fcntl(1000, F_GETFD), fcntl(1050, F_GETFD));
    fflush(0);
    _exit(0);
  }
  waitpid(pid, 0, 0);
  read_one("read after fork");
}
