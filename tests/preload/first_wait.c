/* SPDX-License-Identifier: Apache-2.0 */
/* The first call that waits starts the ring; what that leaves behind must not interrupt the calls that come next. (The
 * kernel interrupts whoever set up a ring that is gone.)
 * must count: suspended */
#include "case.h"

static int p[2];
static void *write_late(void *unused) {
  nap_ms(2);
  write(p[1], "x", 1);
  return unused;
}
static void wait_twice(void) {
  char byte;
  pthread_t t = start(write_late, 0);
  say("the first wait", read(p[0], &byte, 1));
  pthread_join(t, 0);
  int pair[2];
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  struct timeval limit = {0, 60000};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  say("a receive with a time limit", recv(pair[0], &byte, 1, 0));
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  assert(!pipe(p));
  for (int i = 0; i < 5; ++i) {
    fflush(0);
    pid_t pid = fork();
    if (!pid) {
      wait_twice();
      fflush(0);
      _exit(0);
    }
    waitpid(pid, 0, 0);
  }
  wait_twice();
}
