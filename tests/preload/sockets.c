/* SPDX-License-Identifier: Apache-2.0 */
/* recv, send, accept, connect and their kin. must count: suspended fast_hits */
#include <sys/syscall.h>

#include "case.h"

static char buffer[4 << 20], other[1 << 16];

struct Late { int fd; const char *data; int pieces; };
static void *send_late(void *argument) {
  struct Late *late = argument;
  for (int i = 0; i < late->pieces; ++i) {
    nap_ms(20);
    send(late->fd, late->data, strlen(late->data), 0);
  }
  return 0;
}
static void *drain(void *fd) {
  long sum = 0, got;
  nap_ms(20);
  while ((got = recv(*(int *)fd, other, sizeof other, 0)) > 0) sum += got;
  return (void *)sum;
}

static void receive(int p[2], const char *kind) {
  printf("-- %s\n", kind);
  struct Late late = {p[1], "hello", 1};
  pthread_t t = start(send_late, &late);
  say_data("recv waits", recv(p[0], buffer, 100, 0), buffer);
  pthread_join(t, 0);
  t = start(send_late, &late);
  say_data("recv peeks", recv(p[0], buffer, 100, MSG_PEEK), buffer);
  say_data("recv takes", recv(p[0], buffer, 100, 0), buffer);
  pthread_join(t, 0);
  t = start(send_late, &late);
  say_data("recvfrom waits", recvfrom(p[0], buffer, 100, 0, 0, 0), buffer);
  pthread_join(t, 0);
  t = start(send_late, &late);
  struct iovec parts[2] = {{buffer, 2}, {buffer + 2, 50}};
  struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
  say_data("recvmsg waits", recvmsg(p[0], &m, 0), buffer);
  pthread_join(t, 0);
  t = start(send_late, &late);
  say_data("read waits", read(p[0], buffer, 100), buffer);
  pthread_join(t, 0);
  t = start(send_late, &late);
  struct mmsghdr mm = {.msg_hdr = m};
  say("recvmmsg waits", recvmmsg(p[0], &mm, 1, 0, 0));
  say("recvmmsg got", mm.msg_len);
  pthread_join(t, 0);
  t = start(send_late, &late);
  size_t huge = (size_t)1 << 32; /* more than one call gives, or 32 bits hold */
  char *room = mmap(0, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert(room != MAP_FAILED);
  say_data("recv with much room", recv(p[0], room, huge, 0), room);
  munmap(room, huge);
  pthread_join(t, 0);
  struct Late pieces = {p[1], "piece", 3};
  t = start(send_late, &pieces);
  say_data("recv of all that comes", recv(p[0], buffer, 15, MSG_WAITALL), buffer);
  pthread_join(t, 0);
  while (recv(p[0], buffer, 100, MSG_DONTWAIT) > 0) {}
  say("recv, not waiting", recv(p[0], buffer, 10, MSG_DONTWAIT));
  struct timeval limit = {0, 80000}; /* the kernel counts it in ticks, of which a host may take some */
  setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  double began = now_s();
  say("recv with a limit", recv(p[0], buffer, 10, 0));
  printf("it waited: %d\n", now_s() - began > 0.04);
  say("read with a limit", read(p[0], buffer, 10));
  send(p[1], "ab", 2, 0);
  if (strcmp(kind, "datagrams")) say_data("recv of all with a limit", recv(p[0], buffer, 10, MSG_WAITALL), buffer);
  limit.tv_usec = 0;
  setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  while (recv(p[0], buffer, 100, MSG_DONTWAIT) > 0) {}
  fcntl(p[0], F_SETFL, O_NONBLOCK);
  say("recv, nonblocking", recv(p[0], buffer, 10, 0));
  fcntl(p[0], F_SETFL, 0);
  send(p[1], "xyz", 3, 0);
  say("recv into nothing", recv(p[0], (void *)8, 10, 0));
  while (recv(p[0], buffer, 100, MSG_DONTWAIT) > 0) {}
}

static void transmit(int p[2]) {
  pthread_t t = start(drain, &p[1]);
  memset(buffer, 's', sizeof buffer);
  say("send 4 MiB", send(p[0], buffer, sizeof buffer, 0));
  say("write 4 MiB", write(p[0], buffer, sizeof buffer));
  struct iovec parts[2] = {{buffer, 1 << 20}, {buffer, 1 << 20}};
  struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
  say("sendmsg 2 MiB", sendmsg(p[0], &m, 0));
  say("sendto", sendto(p[0], buffer, 10, 0, 0, 0));
  say("send, strange flags", send(p[0], buffer, 10, MSG_OOB | MSG_DONTWAIT) > 0);
  shutdown(p[0], SHUT_WR);
  void *sum;
  pthread_join(t, &sum);
  printf("drained %ld\n", (long)sum & ~15L);
  signal(SIGPIPE, SIG_IGN);
  say("send after the end", send(p[0], "x", 1, 0));
}

static void full(void) {
  int p[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, p);
  struct timeval limit = {0, 30000};
  setsockopt(p[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  long sent = send(p[0], buffer, sizeof buffer, 0);
  say("send with a limit is cut", sent > 0 && sent < (long)sizeof buffer);
  say("send with a limit", send(p[0], buffer, 1 << 16, 0));
  fcntl(p[0], F_SETFL, O_NONBLOCK);
  say("send, nonblocking", send(p[0], buffer, 1 << 16, 0));
  close(p[0]), close(p[1]);
}

static void *connect_late(void *address) {
  nap_ms(30);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  say("connect", connect(fd, address, sizeof(struct sockaddr_in)));
  send(fd, "me", 2, 0);
  nap_ms(20);
  close(fd);
  return 0;
}

/* A connect that is under way already: to one with as many as it takes, which takes another in a while. */
static void *take_late(void *listener) {
  nap_ms(100);
  close(accept(*(int *)listener, 0, 0));
  return 0;
}
static void connecting_already(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), fds[8], last = 0;
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  assert(!bind(listener, (struct sockaddr *)&a, sizeof a) && !listen(listener, 0));
  getsockname(listener, (struct sockaddr *)&a, &size);
  for (struct pollfd one = {.revents = POLLOUT}; one.revents && last < 8; ++last) {
    fds[last] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(fds[last], (struct sockaddr *)&a, sizeof a);
    one = (struct pollfd){fds[last], POLLOUT, 0};
    poll(&one, 1, 20);
  }
  fcntl(fds[last - 1], F_SETFL, 0);
  pthread_t t = start(take_late, &listener);
  say("connect, under way already", connect(fds[last - 1], (struct sockaddr *)&a, sizeof a));
  pthread_join(t, 0);
  while (last) close(fds[--last]);
  close(listener);
}

static void connections(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
  socklen_t size = sizeof a;
  assert(!bind(listener, (struct sockaddr *)&a, sizeof a) && !listen(listener, 8));
  getsockname(listener, (struct sockaddr *)&a, &size);
  for (int i = 0; i < 2; ++i) {
    pthread_t t = start(connect_late, &a);
    size = sizeof peer;
    int fd = i ? accept4(listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC)
               : accept(listener, (struct sockaddr *)&peer, &size);
    pthread_join(t, 0);
    printf("accepted %d, from loopback %d, close on exec %d\n", fd >= 0, peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK),
           fcntl(fd, F_GETFD));
    say_data("it sends", recv(fd, buffer, 10, 0), buffer);
    say("and ends", recv(fd, buffer, 10, 0));
    close(fd);
  }
  struct timeval limit = {0, 30000};
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  say("accept with a limit", accept(listener, 0, 0));
  fcntl(listener, F_SETFL, O_NONBLOCK);
  say("accept, nonblocking", accept(listener, 0, 0));
  close(listener);
  say("accept, closed", accept(listener, 0, 0));
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  say("connect, nobody there", connect(fd, (struct sockaddr *)&a, sizeof a));
  say("recv, not connected", recv(fd, buffer, 1, 0));
  connecting_already();
  signal(SIGPIPE, SIG_IGN);
  say("send, not connected", send(fd, buffer, 1, 0));
  int again = socket(AF_INET, SOCK_STREAM, 0);
  listen(again, 8);
  size = sizeof a;
  getsockname(again, (struct sockaddr *)&a, &size);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  say("connect, the same socket again", connect(fd, (struct sockaddr *)&a, sizeof a));
  say("connect, connected", connect(fd, (struct sockaddr *)&a, sizeof a));
  close(again);
  say("accept, not listening", accept(fd, 0, 0));
  say("connect, short address", connect(fd, (struct sockaddr *)&a, 2));
  say("connect, no address", connect(fd, (struct sockaddr *)16, sizeof a));
  close(fd);
  fd = open("/dev/null", O_RDWR);
  say("recv, no socket", recv(fd, buffer, 1, 0));
  say("send, no socket", send(fd, buffer, 1, 0));
  say("accept, no socket", accept(fd, 0, 0));
  say("connect, no socket", connect(fd, (struct sockaddr *)&a, sizeof a));
  close(fd);
}

struct guest {
  struct sockaddr_un host;
  pid_t tid;
};
static void *connect_and_wait(void *guest) {
  struct guest *g = guest;
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  __atomic_store_n(&g->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
  say("connect, where a place is free later", connect(fd, (struct sockaddr *)&g->host, sizeof g->host));
  close(fd);
  return 0;
}
/* A unix socket waits to connect only where too many do. */
static void crowded(void) {
  int host = socket(AF_UNIX, SOCK_STREAM, 0), first = socket(AF_UNIX, SOCK_STREAM, 0), second = socket(AF_UNIX, SOCK_STREAM, 0);
  struct guest g = {.host = {.sun_family = AF_UNIX}};
  snprintf(g.host.sun_path + 1, sizeof g.host.sun_path - 1, "weir-crowded-%d", getpid());
  assert(!bind(host, (struct sockaddr *)&g.host, sizeof g.host) && !listen(host, 0));
  say("connect, in an empty house", connect(first, (struct sockaddr *)&g.host, sizeof g.host));
  struct timeval limit = {0, 30000};
  setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  say("connect, with a limit", connect(second, (struct sockaddr *)&g.host, sizeof g.host));
  pthread_t t = start(connect_and_wait, &g);
  while (!__atomic_load_n(&g.tid, __ATOMIC_ACQUIRE)) nap_ms(1);
  until_asleep(g.tid, 15);
  close(accept(host, 0, 0));
  pthread_join(t, 0);
  close(host), close(first), close(second);
}

int main(void) {
  int p[2];
  tcp_pair(p);
  receive(p, "tcp");
  transmit(p);
  close(p[0]), close(p[1]);
  socketpair(AF_UNIX, SOCK_STREAM, 0, p);
  receive(p, "unix stream");
  transmit(p);
  close(p[0]), close(p[1]);
  socketpair(AF_UNIX, SOCK_DGRAM, 0, p);
  receive(p, "datagrams");
  say("send too long", send(p[0], buffer, sizeof buffer, 0));
  close(p[0]), close(p[1]);
  socketpair(AF_UNIX, SOCK_SEQPACKET, 0, p);
  receive(p, "datagrams");
  close(p[0]), close(p[1]);
  full();
  connections();
  crowded();
  return 0;
}
