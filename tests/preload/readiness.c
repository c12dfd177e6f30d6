/* SPDX-License-Identifier: Apache-2.0 */
/* poll, select, epoll_wait and sleeping. must count: suspended */
#include "case.h"

#include <threads.h>

static void *write_late(void *fd) {
  nap_ms(30);
  assert(write(*(int *)fd, "late", 4) == 4);
  return 0;
}

/* These know nothing of a socket's own limit. */
static void waits_on_limited_sockets(void) {
  int p[2];
  char byte[8];
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, p));
  struct timeval limit = {0, 10000};
  setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  struct pollfd one = {p[0], POLLIN, 0};
  pthread_t t = start(write_late, &p[1]);
  say("poll of a socket with a limit", poll(&one, 1, -1));
  pthread_join(t, 0);
  read(p[0], byte, 4);
  int e = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN}, got = {0};
  epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event);
  t = start(write_late, &p[1]);
  say("epoll_wait for a socket with a limit", epoll_wait(e, &got, 1, -1));
  pthread_join(t, 0);
  close(e), close(p[0]), close(p[1]);
}

static void polls(void) {
  int p[2];
  char byte[8];
  assert(!pipe(p));
  struct pollfd one = {p[0], POLLIN, 0};
  say("poll: nothing, at once", poll(&one, 1, 0));
  say("poll: nothing for a while", poll(&one, 1, 20));
  pthread_t t = start(write_late, &p[1]);
  say("poll: waits", poll(&one, 1, -1));
  say("poll: for what", one.revents);
  pthread_join(t, 0);
  read(p[0], byte, 4);
  t = start(write_late, &p[1]);
  struct pollfd two[2] = {{p[0], POLLIN, 0}, {p[1], 0, 0}};
  say("poll: of two", poll(two, 2, 5000));
  say("poll: the first", two[0].revents);
  pthread_join(t, 0);
  read(p[0], byte, 4);
  t = start(write_late, &p[1]);
  struct timespec limit = {5, 0};
  say("ppoll: waits", ppoll(&one, 1, &limit, 0));
  pthread_join(t, 0);
  read(p[0], byte, 4);
  one.events = 0;
  say("poll: for no event", poll(&one, 1, 20));
  one = (struct pollfd){-1, POLLIN, 0};
  say("poll: of no descriptor", poll(&one, 1, 20));
  one = (struct pollfd){77, POLLIN, 0};
  say("poll: of a closed one", poll(&one, 1, 20));
  say("poll: says", one.revents);
  say("poll: nothing at all", poll(0, 0, 20));
  say("poll: bad memory", poll((struct pollfd *)16, 1, 20));
  fd_set in;
  FD_ZERO(&in);
  FD_SET(p[0], &in);
  t = start(write_late, &p[1]);
  say("select: waits", select(p[0] + 1, &in, 0, 0, 0));
  say("select: set", FD_ISSET(p[0], &in));
  pthread_join(t, 0);
  read(p[0], byte, 4);
  FD_ZERO(&in);
  FD_SET(p[0], &in);
  say("select: nothing for a while", select(p[0] + 1, &in, 0, 0, &(struct timeval){0, 20000}));
  say("select: set", FD_ISSET(p[0], &in));
  say("pselect: nothing for a while", pselect(p[0] + 1, 0, 0, 0, &(struct timespec){0, 20000000}, 0));
  int e = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 99}, got = {0};
  epoll_ctl(e, EPOLL_CTL_ADD, p[0], &event);
  say("epoll: nothing, at once", epoll_wait(e, &got, 1, 0));
  say("epoll: nothing for a while", epoll_wait(e, &got, 1, 20));
  t = start(write_late, &p[1]);
  say("epoll: waits", epoll_wait(e, &got, 1, -1));
  printf("epoll: %u of %lu\n", got.events, (unsigned long)got.data.u64);
  pthread_join(t, 0);
  say("epoll: pwait", epoll_pwait(e, &got, 1, -1, 0));
  say("epoll: pwait2", epoll_pwait2(e, &got, 1, &limit, 0));
  say("epoll: no room", epoll_wait(e, &got, 0, -1));
  say("epoll: bad memory", epoll_wait(e, (struct epoll_event *)16, 1, 5));
  close(e);
  say("epoll: closed", epoll_wait(e, &got, 1, -1));
  say("epoll: no epoll", epoll_wait(p[0], &got, 1, -1));
  close(p[0]);
  struct pollfd out = {p[1], POLLOUT, 0};
  say("poll: nobody reads", poll(&out, 1, -1));
  say("poll: says", out.revents);
  close(p[1]);
}

static void timed(const char *what, long result, double began, double at_least) {
  say(what, result);
  printf("%s: long enough %d, not too long %d\n", what, now_s() - began >= at_least, now_s() - began < at_least + 5);
}

static void sleeps(void) {
  struct timespec t = {0, 30000000}, left = {5, 5};
  double began = now_s();
  timed("nanosleep", nanosleep(&t, &left), began, 0.03);
  printf("left as it was: %d\n", left.tv_sec == 5 && left.tv_nsec == 5);
  began = now_s();
  timed("usleep", usleep(30000), began, 0.03);
  began = now_s();
  timed("sleep", sleep(1), began, 1);
  began = now_s();
  timed("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0), began, 0.03);
  began = now_s();
  timed("clock_nanosleep, real time", clock_nanosleep(CLOCK_REALTIME, 0, &t, 0), began, 0.03);
  for (int clock = 0; clock < 2; ++clock) {
    struct timespec until;
    clock_gettime(clock ? CLOCK_REALTIME : CLOCK_MONOTONIC, &until);
    until.tv_nsec += 30000000;
    if (until.tv_nsec >= 1000000000) ++until.tv_sec, until.tv_nsec -= 1000000000;
    began = now_s();
    timed("clock_nanosleep until", clock_nanosleep(clock ? CLOCK_REALTIME : CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0),
          began, 0.02);
    until.tv_sec -= 100;
    say("clock_nanosleep until long ago",
        clock_nanosleep(clock ? CLOCK_REALTIME : CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0));
  }
  began = now_s();
  timed("thrd_sleep", thrd_sleep(&t, 0), began, 0.03);
  for (int i = 0; i < 100; ++i) thrd_yield();
  t.tv_nsec = 1000000000;
  say("nanosleep, wrong", nanosleep(&t, 0));
  say("clock_nanosleep, wrong", clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0));
  say("clock_nanosleep, no such clock", clock_nanosleep(77, 0, &t, 0));
  t = (struct timespec){0, 0};
  say("nanosleep, nothing", nanosleep(&t, 0));
  say("nanosleep, bad memory", nanosleep((struct timespec *)16, 0));
  say("sleep, nothing", sleep(0));
  say("usleep, nothing", usleep(0));
}

int main(void) {
  waits_on_limited_sockets();
  polls();
  sleeps();
  return 0;
}
