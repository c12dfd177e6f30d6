/* SPDX-License-Identifier: Apache-2.0 */
/* read, write and their vectors on files, pipes, terminals, events and errors.
 * must count: suspended fast_hits */
#include "case.h"

#include <pty.h>
#include <termios.h>

static char buffer[1 << 20], other[1 << 20];

static void *write_late(void *fd) {
  nap_ms(30);
  assert(write(*(int *)fd, "late", 4) == 4);
  return 0;
}
static void *drain(void *fd) {
  nap_ms(20);
  long sum = 0, got;
  while ((got = read(*(int *)fd, other, 5000)) > 0) sum += got;
  return (void *)sum;
}

static char *volatile anywhere = buffer; /* of no size that a compiler would know */

static void files(void) {
  int fd = temporary(100000);
  lseek(fd, 0, SEEK_SET);
  for (int cold = 0; cold < 2; ++cold) {
    if (cold) chill(fd);
    lseek(fd, 0, SEEK_SET);
    say_data("file: read", read(fd, buffer, 10000), buffer);
    say_data("file: read on", read(fd, buffer, 65536), buffer);
    say("file: offset", lseek(fd, 0, SEEK_CUR));
    say_data("file: read to the end", read(fd, buffer, sizeof buffer), buffer);
    say_data("file: read at the end", read(fd, buffer, 100), buffer);
    lseek(fd, 99990, SEEK_SET);
    struct iovec parts[3] = {{buffer, 4}, {buffer + 4, 0}, {buffer + 4, 100}};
    say_data("file: readv over the end", readv(fd, parts, 3), buffer);
    say("file: offset", lseek(fd, 0, SEEK_CUR));
  }
  say("file: read 0", read(fd, buffer, 0));
  say("file: pread of -1 bytes", pread(fd, anywhere, -1, 0));
  say("file: pwrite of -1 bytes", pwrite(fd, anywhere, -1, 0));
  say("file: read into nothing", read(fd, (void *)8, 10));
  say("file: write", write(fd, "abc", 3));
  struct iovec out[2] = {{"de", 2}, {"fgh", 3}};
  say("file: writev", writev(fd, out, 2));
  say("file: writev of 0 parts", writev(fd, out, 0));
  say("file: writev of -1 parts", writev(fd, out, -1));
  say("file: readv of 1025 parts", readv(fd, out, 1025));
  say("file: readv, bad parts", readv(fd, (struct iovec *)16, 2));
  lseek(fd, 100000, SEEK_SET);
  say_data("file: what was written", read(fd, buffer, 100), buffer);
  say("file: size", lseek(fd, 0, SEEK_END));
  int append = open("/proc/self/fd/0", O_WRONLY | O_APPEND);
  if (append >= 0) close(append);
  close(fd);
  say("closed: read", read(fd, buffer, 1));
  say("closed: write", write(fd, buffer, 1));
  say("-1: read", read(-1, buffer, 1));
  fd = open("/etc/passwd", O_RDONLY);
  say("read only: write", write(fd, "x", 1));
  close(fd);
  fd = open("/", O_RDONLY);
  say("directory: read", read(fd, buffer, 10));
  close(fd);
  fd = open("/etc/passwd", O_PATH);
  say("O_PATH: read", read(fd, buffer, 10));
  close(fd);
  fd = open("/proc/self/stat", O_RDONLY);
  say("proc: read is more than nothing", read(fd, buffer, sizeof buffer) > 10);
  close(fd);
}

static void pipes(void) {
  int p[2];
  assert(!pipe(p));
  pthread_t t = start(write_late, &p[1]);
  say_data("pipe: read waits", read(p[0], buffer, 100), buffer);
  pthread_join(t, 0);
  t = start(write_late, &p[1]);
  struct iovec parts[2] = {{buffer, 1}, {buffer + 1, 50}};
  say_data("pipe: readv waits", readv(p[0], parts, 2), buffer);
  pthread_join(t, 0);
  fcntl(p[0], F_SETFL, O_NONBLOCK);
  errno = 0;
  say("pipe, nonblocking: read", read(p[0], buffer, 100));
  fcntl(p[0], F_SETFL, 0);
  memset(buffer, 'x', sizeof buffer);
  t = start(drain, &p[0]);
  say("pipe: write 1 MiB", write(p[1], buffer, sizeof buffer));
  struct iovec out[3] = {{buffer, 70000}, {buffer, 1}, {buffer, 200000}};
  say("pipe: writev 270001", writev(p[1], out, 3));
  close(p[1]);
  void *sum;
  pthread_join(t, &sum);
  printf("pipe: drained %ld\n", (long)sum);
  say("pipe: read at end", read(p[0], buffer, 10));
  close(p[0]);
  assert(!pipe(p));
  fcntl(p[1], F_SETFL, O_NONBLOCK);
  say("pipe, nonblocking: write 1 MiB", write(p[1], buffer, sizeof buffer));
  say("pipe, nonblocking: write", write(p[1], buffer, 5000));
  signal(SIGPIPE, SIG_IGN);
  close(p[0]);
  say("pipe: write, nobody reads", write(p[1], buffer, 10));
  close(p[1]);
  assert(!pipe(p));
  write(p[1], "half", 4);
  long page = sysconf(_SC_PAGESIZE);
  char *two = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(two + page, page);
  say("pipe: read into nothing", read(p[0], (void *)8, 10));
  say("pipe: read, half mapped", read(p[0], two + page - 2, 4));
  say("pipe: what is left", read(p[0], buffer, 10));
  write(p[1], "half", 4);
  say("pipe: read of -1 bytes", read(p[0], anywhere, -1));
  say("pipe: write of -1 bytes", write(p[1], anywhere, -1));
  say("pipe: read of more than a call gives", read(p[0], anywhere, (size_t)1 << 40));
  close(p[0]);
  close(p[1]);
}

/* A read of a device that gives whatever is asked for takes long: the kernel would break one off that must not wait. */
static const size_t large = 32 << 20;
static void *large_reads(void *device) {
  char *room = mmap(0, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long whole = 0;
  for (int i = 0; i < 6; ++i) whole += read(*(int *)device, room, large) == (ssize_t)large;
  munmap(room, large);
  return (void *)whole;
}
static void devices(void) {
  int zero = open("/dev/zero", O_RDONLY);
  pthread_t threads[4];
  long whole = 0;
  for (int i = 0; i < 4; ++i) threads[i] = start(large_reads, &zero);
  for (int i = 0; i < 4; ++i) {
    void *of_it;
    pthread_join(threads[i], &of_it);
    whole += (long)of_it;
  }
  say("zero: large reads by four at once that got all", whole);
  close(zero);
}

static void others(void) {
  uint64_t n = 7;
  int e = eventfd(0, 0);
  say("eventfd: write 8", write(e, &n, 8));
  say("eventfd: write 16", write(e, (uint64_t[2]){1, 1}, 16));
  say("eventfd: write 4", write(e, &n, 4));
  n = 0;
  say("eventfd: read", read(e, &n, 8));
  say("eventfd: value", (long)n);
  say("eventfd: read 4", read(e, &n, 4));
  close(e);
  int t = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(t, 0, &(struct itimerspec){.it_value = {0, 20000000}}, 0);
  say("timerfd: read waits", read(t, &n, 8));
  say("timerfd: count", (long)n);
  close(t);
  int master, slave;
  if (!openpty(&master, &slave, 0, 0, 0)) {
    write(master, "line\n", 5);
    say_data("pty: read", read(slave, buffer, 100), buffer);
    write(slave, "out", 3);
    say_data("pty: echo and output", read(master, buffer, 100) > 0, "");
    close(master);
    close(slave);
  }
  int zero = open("/dev/zero", O_RDWR), null = open("/dev/null", O_RDWR), random = open("/dev/urandom", O_RDONLY);
  say_data("zero: read", read(zero, buffer, 1000), buffer);
  say("null: read", read(null, buffer, 1000));
  say("null: write", write(null, buffer, 1000));
  say("urandom: read", read(random, buffer, 1000));
  close(zero), close(null), close(random);
  int m = memfd_create("m", 0);
  write(m, "memory", 6);
  lseek(m, 0, SEEK_SET);
  say_data("memfd: read", read(m, buffer, 100), buffer);
  say_data("memfd: pread", pread(m, buffer, 100, 2), buffer);
  close(m);
}

/* Reads that end though poll says nothing. */
static void unseen(void) {
  char name[64];
  snprintf(name, sizeof name, "/tmp/weir-unseen-%d", getpid());
  assert(!mkfifo(name, 0600));
  int fifo = open(name, O_RDONLY | O_NONBLOCK), master, terminal;
  fcntl(fifo, F_SETFL, 0);
  say("fifo nobody writes to: read", read(fifo, buffer, 10));
  struct iovec part = {buffer, 10};
  say("fifo nobody writes to: readv", readv(fifo, &part, 1));
  FILE *file = fdopen(dup(fifo), "r");
  say("fifo nobody writes to: fgetc", fgetc(file) == EOF);
  fclose(file);
  int writer = open(name, O_WRONLY);
  unlink(name);
  pthread_t t = start(write_late, &writer);
  say_data("fifo: read waits", read(fifo, buffer, 10), buffer);
  pthread_join(t, 0);
  close(writer);
  say("fifo: read at end", read(fifo, buffer, 10));
  close(fifo);
  if (openpty(&master, &terminal, 0, 0, 0)) return;
  struct termios raw;
  tcgetattr(terminal, &raw);
  cfmakeraw(&raw);
  raw.c_cc[VMIN] = 0;
  for (raw.c_cc[VTIME] = 0; raw.c_cc[VTIME] < 2; ++raw.c_cc[VTIME]) {
    tcsetattr(terminal, TCSANOW, &raw);
    say("terminal that does not wait: read", read(terminal, buffer, 10));
  }
  file = fdopen(terminal, "r");
  say("terminal that does not wait: fgetc", fgetc(file) == EOF);
  fclose(file);
  close(master);
}

int main(void) {
  files();
  pipes();
  others();
  devices();
  unseen();
  errno = 42;
  int fd = open("/etc/passwd", O_RDONLY);
  read(fd, buffer, 10);
  pread(fd, buffer, 10, 0);
  close(fd);
  printf("errno after success: %d\n", errno);
  return 7;
}
