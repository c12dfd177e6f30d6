/* SPDX-License-Identifier: Apache-2.0 */
/* A little of every family of calls, the results put into `into`: called from places where little of the process stands
 * yet. */
#pragma once
#include "../case.h"

static inline void everything(char *into, size_t size) {
  char buffer[64] = {0}, line[64] = {0};
  int p[2], s[2], r[12] = {0};
  r[0] = pipe(p);
  r[1] = (int)write(p[1], "hello", 5);
  r[2] = (int)read(p[0], buffer, sizeof buffer);
  socketpair(AF_UNIX, SOCK_STREAM, 0, s);
  r[3] = (int)send(s[0], "abc", 3, 0);
  r[4] = (int)recv(s[1], buffer, sizeof buffer, 0);
  struct pollfd one = {p[1], POLLOUT, 0};
  r[5] = poll(&one, 1, 10);
  int fd = open("/etc/passwd", O_RDONLY);
  r[6] = (int)pread(fd, buffer, 10, 0);
  close(fd);
  FILE *f = fopen("/etc/passwd", "r");
  if (f && fgets(line, sizeof line, f)) r[7] = line[0];
  if (f) fclose(f);
  struct timespec nap = {0, 1000};
  r[8] = nanosleep(&nap, 0);
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  r[9] = pthread_mutex_lock(&m) + pthread_mutex_unlock(&m);
  void (*before)(int) = signal(SIGUSR1, SIG_IGN);
  r[10] = signal(SIGUSR1, before) == SIG_IGN;
  errno = 0;
  r[11] = (int)read(-1, buffer, 1) + errno;
  pid_t child = vfork();
  if (!child) _exit(3);
  int status;
  waitpid(child, &status, 0);
  close(p[0]), close(p[1]), close(s[0]), close(s[1]);
  snprintf(into, size, "%d %d %d %d %d %d %d %d %d %d %d %d %d", r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8],
           r[9], r[10], r[11], WEXITSTATUS(status));
}
