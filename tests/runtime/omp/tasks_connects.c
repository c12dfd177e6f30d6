/* SPDX-License-Identifier: Apache-2.0 */
/* Each task asks a small server, whose queue is short and who serves one after the other. Who finds the queue full tries again a second
   later: that may happen to a few, which is how it is noticed, but not to all. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { clients = 120, most_late = clients / 3 };

static void *serve(void *listener) {
  for (int i = 0; i < clients; ++i) {
    int fd = accept(*(int *)listener, NULL, NULL), asked = 0;
    if (fd < 0 || recv(fd, &asked, sizeof asked, MSG_WAITALL) != sizeof asked) abort();
    asked *= 2;
    if (send(fd, &asked, sizeof asked, 0) != sizeof asked) abort();
    close(fd);
  }
  return NULL;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec + at.tv_nsec / 1e9;
}

static struct sockaddr_in where;
static long sum;
static int late;

static void ask(int i) {
  int fd = socket(AF_INET, SOCK_STREAM, 0), told = 0;
  double began = now();
  if (connect(fd, (struct sockaddr *)&where, sizeof where)) abort();
  int is_late = now() - began > 0.9;
  if (send(fd, &i, sizeof i, 0) != sizeof i || recv(fd, &told, sizeof told, MSG_WAITALL) != sizeof told) abort();
  close(fd);
#pragma omp atomic
  sum += told;
#pragma omp atomic
  late += is_late;
}

int main(void) {
  socklen_t length = sizeof where;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&where, length) || listen(listener, 5)) return 2;
  if (getsockname(listener, (struct sockaddr *)&where, &length)) return 2;
  pthread_t server;
  pthread_create(&server, NULL, serve, &listener);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < clients; ++i) {
#pragma omp task
    ask(i);
  }
  pthread_join(server, NULL);
  printf("sum %ld\n", sum);
  if (late > most_late) fprintf(stderr, "%d of %d found the queue full\n", late, clients);
  return late > most_late;
}
