/* SPDX-License-Identifier: Apache-2.0 */
/* A socket that was read from many times, each time with a wait, gets a time limit, or must not block any more, and comes by another
   socket's number. */
/* must count: suspended */
#include "case.h"

#include <sys/syscall.h>

static char buffer[8];

struct late {
  pid_t caller;
  int to;
};
static void *one_byte(void *late) {
  struct late *l = late;
  until_asleep(l->caller, 15);
  assert(write(l->to, "x", 1) == 1);
  return 0;
}

/* So that the next read is believed to wait too. */
static void wait_often(int pair[2]) {
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  for (int i = 0; i < 8; ++i) {
    struct late late = {syscall(SYS_gettid), pair[1]};
    pthread_t thread = start(one_byte, &late);
    assert(recv(pair[0], buffer, sizeof buffer, 0) == 1);
    pthread_join(thread, 0);
  }
}

static void end(int pair[2]) { close(pair[0]), close(pair[1]); }

static void set_limit(int fd) {
  struct timeval limit = {0, 60000};
  assert(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit));
}

/* While a read waits, its number comes to stand for a socket that must not block. */
static _Atomic pid_t caller;
static void *another_in_its_place(void *pair_) {
  int *pair = pair_, other[2];
  while (!caller) nap_ms(1);
  until_asleep(caller, 2);
  assert(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, other));
  assert(dup2(other[0], pair[0]) == pair[0]);
  assert(write(other[1], "b", 1) == 1);
  nap_ms(60);
  assert(write(pair[1], "a", 1) == 1);
  close(other[0]), close(other[1]);
  return 0;
}

int main(void) {
  alarm(30); /* what must not wait would do so for ever */
  int pair[2], other[2];
  wait_often(pair);
  fcntl(pair[0], F_SETFL, O_NONBLOCK);
  say("must not block", recv(pair[0], buffer, sizeof buffer, 0));
  end(pair);

  wait_often(pair);
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, other));
  fcntl(other[0], F_SETFL, O_NONBLOCK);
  assert(dup2(other[0], pair[0]) == pair[0]);
  say("another, which must not block", recv(pair[0], buffer, sizeof buffer, 0));
  end(pair), end(other);

  wait_often(pair);
  int copy = dup(pair[0]);
  fcntl(copy, F_SETFL, O_NONBLOCK);
  say("must not block, by a copy", recv(pair[0], buffer, sizeof buffer, 0));
  close(copy);
  end(pair);

  wait_often(pair);
  pid_t child = fork();
  if (!child) set_limit(pair[0]), _exit(0);
  waitpid(child, 0, 0);
  say("limited by a child", recv(pair[0], buffer, sizeof buffer, 0));
  end(pair);

  wait_often(pair);
  pthread_t thread = start(another_in_its_place, pair);
  caller = syscall(SYS_gettid);
  say("whose number is another's", recv(pair[0], buffer, 1, 0));
  printf("%c\n", buffer[0]);
  pthread_join(thread, 0);
  end(pair);

  wait_often(pair);
  set_limit(pair[0]);
  say("limited", recv(pair[0], buffer, sizeof buffer, 0));
  end(pair);

  wait_often(pair);
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, other));
  set_limit(other[0]);
  assert(dup2(other[0], pair[0]) == pair[0]);
  say("another, limited", recv(pair[0], buffer, sizeof buffer, 0));
  end(pair), end(other);
  return 0;
}
