/* SPDX-License-Identifier: Apache-2.0 */
/* Each iteration asks a small server, whose queue is short and who serves one after the other. Who finds the queue full tries again a second later:
   that may happen to a few, which is how it is noticed, but not to all. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { clients = 120, most_late = clients / 2 };

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

int main(void) {
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof where;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&where, length) || listen(listener, 5)) return 2;
  if (getsockname(listener, (struct sockaddr *)&where, &length)) return 2;
  pthread_t server;
  pthread_create(&server, NULL, serve, &listener);
  long sum = 0;
  int late = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum, late)
  for (int i = 0; i < clients; ++i) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), told = 0;
    double began = now();
    if (connect(fd, (struct sockaddr *)&where, sizeof where)) abort();
    late += now() - began > 0.9;
    if (send(fd, &i, sizeof i, 0) != sizeof i || recv(fd, &told, sizeof told, MSG_WAITALL) != sizeof told) abort();
    sum += told;
    close(fd);
  }
  pthread_join(server, NULL);
  printf("sum %ld\n", sum);
  if (late > most_late) fprintf(stderr, "%d of %d found the queue full\n", late, clients);
  return late > most_late;
}
