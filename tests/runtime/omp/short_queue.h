/* SPDX-License-Identifier: Apache-2.0 */
/* A small server whose queue is short and who serves one client after the other. Who finds the queue full tries again a second
   later: that may happen to a few, which is how it is noticed, but not to all. */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { clients = 120 };

static int listener;
static struct sockaddr_in server_at = {.sin_family = AF_INET};
static pthread_t server;

static void *serve(void *unused) {
  for (int i = 0; i < clients; ++i) {
    int fd = accept(listener, NULL, NULL), asked = 0;
    if (fd < 0 || recv(fd, &asked, sizeof asked, MSG_WAITALL) != sizeof asked) abort();
    asked *= 2;
    if (send(fd, &asked, sizeof asked, 0) != sizeof asked) abort();
    close(fd);
  }
  return unused;
}

static void start_server(void) {
  socklen_t length = sizeof server_at;
  server_at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&server_at, length) || listen(listener, 5)) abort();
  if (getsockname(listener, (struct sockaddr *)&server_at, &length)) abort();
  if (pthread_create(&server, NULL, serve, NULL)) abort();
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

/* What the server makes of the number; and whether the queue was full. */
static int ask(int number, int *late) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), told = 0;
  double began = now();
  if (connect(fd, (struct sockaddr *)&server_at, sizeof server_at)) abort();
  *late = now() - began > 0.9;
  if (send(fd, &number, sizeof number, 0) != sizeof number || recv(fd, &told, sizeof told, MSG_WAITALL) != sizeof told) abort();
  close(fd);
  return told;
}

static int ends_well(long sum, int late, int most_late) {
  pthread_join(server, NULL);
  printf("sum %ld\n", sum);
  if (late > most_late) fprintf(stderr, "%d of %d found the queue full\n", late, clients);
  return late > most_late;
}
