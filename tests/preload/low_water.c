/* SPDX-License-Identifier: Apache-2.0 */
/* A socket whose reads wait for more than a byte. */
#include <sys/syscall.h>

#include "case.h"

static char buffer[100];
static struct iovec parts[2] = {{buffer, 2}, {buffer + 2, 98}};
static struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

struct late {
  pid_t caller;
  int to, at_once;
};
static void *six_more(void *late) {
  struct late *l = late;
  until_asleep(l->caller, 15);
  if (!l->at_once) assert(write(l->to, "0123", 4) == 4);
  until_asleep(l->caller, 15);
  assert(write(l->to, "456789", 6) == 6);
  return 0;
}
static long read_some(int fd) { return read(fd, buffer, 100); }
static long recv_some(int fd) { return recv(fd, buffer, 100, 0); }
static long recvmsg_some(int fd) { return recvmsg(fd, &message, 0); }

/* (A TCP socket of which part was read before it slept is not woken by so much in all.) */
static void low_water(const char *kind, void (*make)(int pair[2]), int at_once) {
  static const struct {
    const char *name;
    long (*make)(int fd);
  } some[] = {{"read", read_some}, {"recv", recv_some}, {"recvmsg", recvmsg_some}};
  printf("-- %s, low water\n", kind);
  for (unsigned i = 0; i < sizeof some / sizeof *some; ++i) {
    int pair[2], low = 10;
    make(pair);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVLOWAT, &low, sizeof low);
    if (at_once) assert(write(pair[1], "0123", 4) == 4);
    struct late late = {syscall(SYS_gettid), pair[1], at_once};
    pthread_t thread = start(six_more, &late);
    say_data(some[i].name, some[i].make(pair[0]), buffer);
    pthread_join(thread, 0);
    close(pair[0]), close(pair[1]);
  }
}

static void unix_pair(int pair[2]) { assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); }

int main(void) {
  low_water("unix", unix_pair, 1);
  low_water("tcp", tcp_pair, 0);
  return 0;
}
