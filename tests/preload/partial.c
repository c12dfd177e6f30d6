/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that have moved a part and wait for the rest when the other end resets, or a signal comes: they return what was moved,
 * and what went wrong is the next call's. must count: suspended parked */
#include <sys/syscall.h>

#include "case.h"

static char buffer[8 << 20];
static struct iovec parts[2] = {{buffer, 1 << 20}, {buffer + (1 << 20), 7 << 20}};
static struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

static long write_all(int fd) { return write(fd, buffer, sizeof buffer); }
static long writev_all(int fd) { return writev(fd, parts, 2); }
static long send_all(int fd) { return send(fd, buffer, sizeof buffer, 0); }
static long sendto_all(int fd) { return sendto(fd, buffer, sizeof buffer, 0, 0, 0); }
static long sendmsg_all(int fd) { return sendmsg(fd, &message, 0); }
static const struct {
  const char *name;
  long (*make)(int fd);
  int of_sockets;
} calls[] = {{"write", write_all, 0},
             {"writev", writev_all, 0},
             {"send", send_all, 1},
             {"sendto", sendto_all, 1},
             {"sendmsg", sendmsg_all, 1}};

static void unix_pair(int pair[2]) { assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); }
static void pipe_pair(int pair[2]) { assert(!pipe(pair)); }
static const struct kind {
  const char *name;
  void (*make)(int pair[2]); /* pair[0] reads */
  int socket;
} kinds[] = {{"tcp", tcp_pair, 1}, {"unix stream", unix_pair, 1}, {"pipe", pipe_pair, 0}};

static volatile int broken, rang, over;
static void count_broken(int sig) { (void)sig, ++broken; }
static void count_rang(int sig) { (void)sig, ++rang; }

struct other_end {
  int fd;
  pid_t caller;
  pthread_t thread;
};

/* With what was sent unread: a reset. */
static void *reset(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  setsockopt(e->fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
  close(e->fd);
  return 0;
}

/* Reads no more, and is still there; at last it is not. */
static void *shut(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  shutdown(e->fd, SHUT_RD);
  for (int ms = 0; ms < 1000 && !over; ++ms) nap_ms(1);
  say("the call was over before", over);
  close(e->fd);
  return 0;
}

/* Reads in the end what is left, should the call not return. */
static void *interrupt(void *end) {
  struct other_end *e = end;
  static char room[1 << 16];
  until_asleep(e->caller, 10);
  pthread_kill(e->thread, SIGUSR1);
  for (int ms = 0; ms < 300 && !over; ++ms) nap_ms(1);
  while (!over) (void)!read(e->fd, room, sizeof room);
  return 0;
}

static void *read_slowly(void *end) {
  struct other_end *e = end;
  static char room[1 << 16];
  do nap_ms(20);
  while (read(e->fd, room, sizeof room) > 0);
  return 0;
}
/* Each part comes in time, all of them do not. */
static void limited(void) {
  int pair[2];
  unix_pair(pair);
  setsockopt(pair[1], SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){0, 400000}, sizeof(struct timeval));
  struct other_end end = {pair[0]};
  pthread_t thread = start(read_slowly, &end);
  say("unix stream: send with a limit", send(pair[1], buffer, 4 << 20, 0));
  close(pair[1]);
  pthread_join(thread, 0);
  close(pair[0]);
}

static void sends(const struct kind *kind, void *(*meanwhile)(void *)) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* who holds one parks */
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (calls[i].of_sockets && !kind->socket) continue;
    for (int locked = 0; locked < 2; ++locked) {
      int pair[2];
      kind->make(pair);
      struct other_end end = {pair[0], (pid_t)syscall(SYS_gettid), pthread_self()};
      over = broken = rang = 0;
      pthread_t thread = start(meanwhile, &end);
      if (locked) pthread_mutex_lock(&lock);
      long sent = calls[i].make(pair[1]);
      if (locked) pthread_mutex_unlock(&lock);
      over = 1;
      pthread_join(thread, 0);
      printf("%s %s: a part %d, rang %d, broken %d\n", kind->name, calls[i].name, sent > 0 && sent < (long)sizeof buffer, rang,
             broken);
      if (meanwhile != interrupt) {
        say("the next", calls[i].make(pair[1]));
        say("and the next", calls[i].make(pair[1]));
        printf("broken %d\n", broken);
        if (kind->socket) say("recv", recv(pair[1], buffer, 1, 0));
      } else {
        close(pair[0]);
      }
      close(pair[1]);
    }
  }
}

/* Some bytes before the call, if any, and some within it; then a reset or a signal. */
static void *send_and_reset(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  assert(send(e->fd, "12345", 5, 0) == 5);
  return reset(end);
}
static void *send_and_interrupt(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  assert(send(e->fd, "12345", 5, 0) == 5);
  until_asleep(e->caller, 10);
  pthread_kill(e->thread, SIGUSR1);
  for (int ms = 0; ms < 300 && !over; ++ms) nap_ms(1);
  say("the call was over before", over);
  shutdown(e->fd, SHUT_WR);
  while (!over) nap_ms(1);
  close(e->fd);
  return 0;
}
static void receives(const struct kind *kind, void *(*meanwhile)(void *)) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  for (int locked = 0; locked < 2; ++locked)
    for (int early = 0; early < 2; ++early) {
      int pair[2];
      kind->make(pair);
      struct other_end end = {pair[0], (pid_t)syscall(SYS_gettid), pthread_self()};
      assert(send(pair[1], "unread", 6, 0) == 6);
      if (early) assert(send(pair[0], "early", 5, 0) == 5);
      over = rang = 0;
      pthread_t thread = start(meanwhile, &end);
      if (locked) pthread_mutex_lock(&lock);
      say_data(kind->name, recv(pair[1], buffer, 100, MSG_WAITALL), buffer);
      if (locked) pthread_mutex_unlock(&lock);
      over = 1;
      pthread_join(thread, 0);
      say("rang", rang);
      if (meanwhile == send_and_reset)
        for (int i = 0; i < 2; ++i) say("the next", recv(pair[1], buffer, 100, 0));
      close(pair[1]);
    }
}

/* The caller has sent without copies, and is told so by its error queue: its connection is none the worse. */
static void *send_in_two(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  assert(send(e->fd, "12345", 5, 0) == 5);
  until_asleep(e->caller, 10);
  assert(send(e->fd, "67890", 5, 0) == 5);
  return 0;
}
static void receives_noticed(void) {
  int pair[2], on = 1;
  tcp_pair(pair);
  setsockopt(pair[1], SOL_SOCKET, SO_ZEROCOPY, &on, sizeof on);
  say("sent without copies", send(pair[1], buffer, 100000, MSG_ZEROCOPY));
  for (long got = 0, n; got < 100000; got += n) assert((n = recv(pair[0], buffer, sizeof buffer, 0)) > 0);
  struct pollfd noticed = {pair[1], 0, 0};
  printf("noticed: %d\n", poll(&noticed, 1, 5000) == 1 && noticed.revents == POLLERR);
  struct timeval limit = {0, 60000}, none = {0, 0};
  setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  say("nothing comes, and there is a limit", recv(pair[1], buffer, 10, 0));
  setsockopt(pair[1], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  struct other_end end = {pair[0], (pid_t)syscall(SYS_gettid), pthread_self()};
  pthread_t thread = start(send_in_two, &end);
  say_data("recv", recv(pair[1], buffer, 10, MSG_WAITALL), buffer);
  pthread_join(thread, 0);
  close(pair[0]);
  close(pair[1]);
}

/* Urgent data among the others: no receive goes on over its mark. */
static void *send_urgent(void *end) {
  struct other_end *e = end;
  until_asleep(e->caller, 10);
  assert(send(e->fd, "12345", 5, 0) == 5);
  until_asleep(e->caller, 10);
  assert(send(e->fd, "6", 1, MSG_OOB) == 1 && send(e->fd, "7890", 4, 0) == 4);
  return 0;
}
static void receives_urgent(void) {
  int pair[2], on = 1;
  tcp_pair(pair);
  setsockopt(pair[1], SOL_SOCKET, SO_OOBINLINE, &on, sizeof on);
  struct other_end end = {pair[0], (pid_t)syscall(SYS_gettid), pthread_self()};
  pthread_t thread = start(send_urgent, &end);
  say_data("recv", recv(pair[1], buffer, 10, MSG_WAITALL), buffer);
  pthread_join(thread, 0);
  say_data("recv", recv(pair[1], buffer, 5, MSG_WAITALL), buffer);
  close(pair[0]);
  close(pair[1]);
}

int main(void) {
  setvbuf(stdout, 0, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
  printf("-- the other end is gone\n");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i) sends(&kinds[i], reset);
  for (unsigned i = 0; i < 2; ++i) receives(&kinds[i], send_and_reset);
  printf("-- the other end reads no more\n");
  sends(&kinds[1], shut);
  printf("-- the other end reads slowly\n");
  limited();
  printf("-- notices of what was sent\n");
  receives_noticed();
  printf("-- urgent data among the others\n");
  receives_urgent();
  printf("-- the other end is gone, and a handler told\n");
  signal(SIGPIPE, count_broken);
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i) sends(&kinds[i], reset);
  signal(SIGUSR1, count_rang);
  printf("-- a handler runs\n");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; ++i) sends(&kinds[i], interrupt);
  for (unsigned i = 0; i < 2; ++i) receives(&kinds[i], send_and_interrupt);
  return 0;
}
