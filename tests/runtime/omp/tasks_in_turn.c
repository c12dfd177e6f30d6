/* SPDX-License-Identifier: Apache-2.0 */
/* Each task asks a server that answers one after the other, computes for longer than weir is patient, and asks again. Who blocks its
 * thread for the second answer while the first one of a task on the same thread is still to be taken, waits for ever. `limited`: or for
 * as long as the socket's limit lets it; `accept`: each answer comes by a connection of its own. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { tasks = 4, answer = 1 << 20 };
static int ends[tasks][2], listeners[tasks];
static int accepts, spins;

static void make_ends(int i, int limited) {
  const struct timeval limit = {10, 0};
  const int small = 16 << 10;  // an answer is not through before it is taken
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i])) exit(2);
  listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
  if (setsockopt(listeners[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small) || listen(listeners[i], 1)) exit(2);  // at a free port
  if (limited && setsockopt(ends[i][0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit)) exit(2);
  if (limited && setsockopt(listeners[i], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit)) exit(2);
}

static int connected(int i) {
  const int small = 16 << 10;
  struct sockaddr_in to;
  socklen_t size = sizeof to;
  int from = socket(AF_INET, SOCK_STREAM, 0);
  if (getsockname(listeners[i], (struct sockaddr*)&to, &size)) _exit(2);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (setsockopt(from, SOL_SOCKET, SO_SNDBUF, &small, sizeof small)) _exit(2);
  if (connect(from, (struct sockaddr*)&to, size)) _exit(2);
  return from;
}

static void serve(void) {
  static char bytes[answer];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct pollfd all[tasks];
  for (int i = 0; i < tasks; ++i) all[i] = (struct pollfd){ends[i][1], POLLIN, 0};
  for (int asked = 0; asked < 2 * tasks; ++asked) {
    char number;
    int which = 0;
    if (poll(all, tasks, -1) < 1) _exit(2);
    while (!all[which].revents) ++which;
    if (read(all[which].fd, &number, 1) != 1) _exit(2);
    memset(bytes, number, answer);
    usleep(20 * 1000);
    int to = accepts ? connected(which) : all[which].fd;
    for (int sent = 0; sent < answer;) {
      ssize_t n = write(to, bytes + sent, answer - sent);
      if (n < 1) _exit(2);
      sent += (int)n;
    }
    if (accepts) close(to);
  }
  _exit(0);
}

static long ask(int i, char number) {
  char bytes[4096];
  long sum = 0;
  if (write(ends[i][0], &number, 1) != 1) exit(2);
  int socket = accepts ? accept(listeners[i], NULL, NULL) : ends[i][0];
  if (socket < 0) exit(3);
  for (int got = 0; got < answer;) {
    ssize_t n = read(socket, bytes, sizeof bytes);
    if (n < 1) exit(3);
    for (ssize_t at = 0; at < n; ++at) sum += bytes[at];
    got += (int)n;
  }
  if (accepts) close(socket);
  return sum;
}

// As one who waits for a lock by a loop of the program's own, with nothing new in its registers.
static void* sets(void* flag) {
  usleep(300 * 1000);
  __atomic_store_n((int*)flag, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void spin(void) {
  int flag = 0;
  pthread_t setter;
  if (pthread_create(&setter, NULL, sets, &flag)) exit(2);
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
  pthread_join(setter, NULL);
}

static void compute(double seconds) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((double)(now.tv_sec - from.tv_sec) + 1e-9 * (double)(now.tv_nsec - from.tv_nsec) < seconds);
}

int main(int argc, char** argv) {
  long sum = 0;
  int limited = 0;
  for (int i = 1; i < argc; ++i) {
    limited |= !strcmp(argv[i], "limited");
    accepts |= !strcmp(argv[i], "accept");
    spins |= !strcmp(argv[i], "spins");
  }
  for (int i = 0; i < tasks; ++i) make_ends(i, limited);
  if (!fork()) serve();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(sum)
    {
      long mine = ask(i, (char)(2 * i + 1));
      if (spins) spin();
      else compute(0.3);
      mine += ask(i, (char)(2 * i + 2));
#pragma omp atomic
      sum += mine;
    }
  }
  printf("in turn: %ld\n", sum);
  return 0;
}
