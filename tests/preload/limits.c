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
