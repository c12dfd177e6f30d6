/* SPDX-License-Identifier: Apache-2.0 */
/* Each task asks a server that answers one after the other, computes for longer than weir is patient, and asks again. Who blocks its
 * thread for the second answer while the first one of a task on the same thread is still to be taken, waits for ever. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { tasks = 4, answer = 1 << 20 };
static int ends[tasks][2];

static void serve(void) {
  static char bytes[answer];
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
    for (int sent = 0; sent < answer;) {
      ssize_t n = write(all[which].fd, bytes + sent, answer - sent);
      if (n < 1) _exit(2);
      sent += (int)n;
    }
  }
  _exit(0);
}

static long ask(int socket, char number) {
  char bytes[4096];
  long sum = 0;
  if (write(socket, &number, 1) != 1) exit(2);
  for (int got = 0; got < answer;) {
    ssize_t n = read(socket, bytes, sizeof bytes);
    if (n < 1) exit(2);
    for (ssize_t i = 0; i < n; ++i) sum += bytes[i];
    got += (int)n;
  }
  return sum;
}

static void compute(double seconds) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((double)(now.tv_sec - from.tv_sec) + 1e-9 * (double)(now.tv_nsec - from.tv_nsec) < seconds);
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < tasks; ++i)
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i])) return 2;
  if (!fork()) serve();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(sum)
    {
      long mine = ask(ends[i][0], (char)(2 * i + 1));
      compute(0.3);
      mine += ask(ends[i][0], (char)(2 * i + 2));
#pragma omp atomic
      sum += mine;
    }
  }
  printf("in turn: %ld\n", sum);
  return 0;
}
