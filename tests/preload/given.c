/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors that are more than a number: a pipe of packets, a socket that another process made and set,
 * one whose receiver is full, and a thread's own table.
 */
#include <linux/close_range.h>
#include <sys/syscall.h>

#include "case.h"

static void *read_packets(void *end) {
  static char room[65536];
  usleep(50000); /* the pipe is full meanwhile */
  for (long got; (got = read((int)(intptr_t)end, room, sizeof room)) > 0; usleep(1000)) printf("packet of %ld\n", got);
  return 0;
}

/* More parts than a few, and more bytes than there is room for. */
static void packets(void) {
  enum { parts = 1000, each = 10 };
  static char bytes[parts * each];
  static struct iovec list[parts];
  int ends[2];
  assert(!pipe2(ends, O_DIRECT));
  fcntl(ends[1], F_SETPIPE_SZ, 8192);
  for (int i = 0; i < parts; ++i) list[i] = (struct iovec){bytes + i * each, each};
  pthread_t thread;
  assert(!pthread_create(&thread, 0, read_packets, (void *)(intptr_t)ends[0]));
  long sent = writev(ends[1], list, parts);
  close(ends[1]);
  pthread_join(thread, 0);
  printf("sent %ld\n", sent);
  close(ends[0]);
}

struct given {
  struct msghdr message;
  struct iovec part;
  char byte;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
};
static void prepare(struct given *g) {
  memset(g, 0, sizeof *g);
  g->part = (struct iovec){&g->byte, 1};
  g->message = (struct msghdr){
      .msg_iov = &g->part, .msg_iovlen = 1, .msg_control = g->control.room, .msg_controllen = sizeof g->control.room};
}

/* By a system call: as if by a program that weir knows nothing of. */
static void set_low_water(int fd, int bytes) { syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes); }

static void *send_rest(void *end) {
  usleep(50000);
  assert(write((int)(intptr_t)end, "3456789", 7) == 7);
  return 0;
}

static void low_water(void) {
  int way[2], pair[2];
  struct given g;
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, way) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  set_low_water(pair[0], 10);
  assert(write(pair[1], "012", 3) == 3);
  prepare(&g);
  g.control.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  memcpy(CMSG_DATA(&g.control.head), &pair[0], sizeof(int));
  assert(sendmsg(way[0], &g.message, 0) == 1);
  close(pair[0]);
  prepare(&g);
  assert(recvmsg(way[1], &g.message, 0) == 1);
  int got;
  memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&g.message)), sizeof got);
  pthread_t thread;
  assert(!pthread_create(&thread, 0, send_rest, (void *)(intptr_t)pair[1]));
  char bytes[100];
  printf("low water: %zd\n", recv(got, bytes, sizeof bytes, 0));
  pthread_join(thread, 0);
  close(got), close(pair[1]), close(way[0]), close(way[1]);
}

static long spent_ms(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}
static void *takes_some(void *end) {
  char byte;
  usleep(400000);
  for (int i = 0; i < 5; ++i) assert(recv((int)(intptr_t)end, &byte, 1, 0) == 1);
  return 0;
}
/* A receiver that is full: poll says that its sender may send. */
static void full_receiver(void) {
  struct sockaddr_un name = {AF_UNIX};
  socklen_t size = sizeof name;
  int to = socket(AF_UNIX, SOCK_DGRAM, 0), from = socket(AF_UNIX, SOCK_DGRAM, 0);
  assert(!bind(to, (void *)&name, sizeof(sa_family_t)) && !getsockname(to, (void *)&name, &size));
  while (sendto(from, "x", 1, MSG_DONTWAIT, (void *)&name, size) == 1) {}
  pthread_t thread;
  assert(!pthread_create(&thread, 0, takes_some, (void *)(intptr_t)to));
  long before = spent_ms();
  printf("to a full receiver: %zd\n", sendto(from, "y", 1, 0, (void *)&name, size));
  printf("%s\n", spent_ms() - before < 150 ? "it slept" : "it was busy");
  pthread_join(thread, 0);
  close(to), close(from);
}

/* What it opens from here on has numbers that are other files' elsewhere. */
static void *own_table(void *unused) {
  int pair[2];
  char bytes[10];
  printf("unshared: %d\n", close_range(2000, 3000, CLOSE_RANGE_UNSHARE));
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  pid_t child = fork();
  if (!child) {
    usleep(50000);
    _exit(write(pair[1], "here", 4) == 4 ? 0 : 1);
  }
  printf("in its own table: %zd\n", recv(pair[0], bytes, sizeof bytes, 0));
  waitpid(child, 0, 0);
  return unused;
}

int main(void) {
  setvbuf(stdout, 0, _IOLBF, 0);
  packets();
  low_water();
  full_receiver();
  pthread_t thread;
  assert(!pthread_create(&thread, 0, own_table, 0));
  pthread_join(thread, 0);
  return 0;
}
