/* SPDX-License-Identifier: Apache-2.0 */
/* A read that waits is of what its number stood for when it was made, whatever becomes of the number meanwhile: the kernel holds
 * on to it. must count: suspended */
#include <sys/syscall.h>

#include "case.h"

static char buffer[1 << 16];
static struct iovec parts[2] = {{buffer, 2}, {buffer + 2, sizeof buffer - 2}};
static struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

static long read_little(int fd) { return read(fd, buffer, 8); }
static long read_much(int fd) { return read(fd, buffer, sizeof buffer); }
static long read_parts(int fd) { return readv(fd, parts, 2); }
static long recv_much(int fd) { return recv(fd, buffer, sizeof buffer, 0); }
static long recv_peek(int fd) { return recv(fd, buffer, 8, MSG_PEEK); }
static long recv_message(int fd) { return recvmsg(fd, &message, 0); }
static const struct {
  const char *name;
  long (*make)(int fd);
  int of_sockets;
} calls[] = {{"read, little", read_little, 0}, {"read, much", read_much, 0},  {"readv", read_parts, 0},
             {"recv, much", recv_much, 1},     {"recv, peek", recv_peek, 1}, {"recvmsg", recv_message, 1}};

struct replacement {
  int fd, peer, by;
  volatile pid_t reader;
};

static void *replace(void *replacement) {
  struct replacement *r = replacement;
  until_asleep(r->reader, 30);
  dup2(r->by, r->fd);
  nap_ms(5);
  assert(write(r->peer, "first", 5) == 5);
  return 0;
}

static void held(const char *kind, void (*make)(int pair[2])) {
  printf("-- %s\n", kind);
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i) {
    int first[2], other[2];
    make(first), make(other);
    if (calls[i].of_sockets && fcntl(first[0], F_GETFL) == O_RDONLY) goto next; /* a pipe */
    assert(write(other[1], "the other", 9) == 9);
    struct replacement r = {first[0], first[1], other[0], syscall(SYS_gettid)};
    pthread_t thread = start(replace, &r);
    long got = calls[i].make(first[0]);
    say_data(calls[i].name, got, buffer);
    pthread_join(thread, 0);
    say_data("after it", read(first[0], buffer, sizeof buffer), buffer);
  next:
    close(first[0]), close(first[1]), close(other[0]), close(other[1]);
  }
}

static void unix_pair(int pair[2]) { assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); }
static void unix_datagrams(int pair[2]) { assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)); }
static void pipe_pair(int pair[2]) { assert(!pipe(pair)); }

/* Linux learnt in 6.4 to break off a read of a pipe. Before, weir waits until there is something, and asks the number then. */
static int pipes_break_off(void) {
  int pair[2];
  pipe_pair(pair);
  struct iovec part = {buffer, 1};
  int can = preadv2(pair[0], &part, 1, -1, RWF_NOWAIT) < 0 && errno == EAGAIN;
  close(pair[0]), close(pair[1]);
  return can;
}

int main(void) {
  held("unix stream", unix_pair);
  held("unix datagrams", unix_datagrams);
  held("tcp", tcp_pair);
  if (pipes_break_off()) held("pipe", pipe_pair);
  return 0;
}
