/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder share: each prints, line by line, what calls gave it, and nothing that depends on
 * time, chance or where it runs. It is run bare, under the preload, and under the preload with every call forced to go
 * the ring's way; the outputs must be equal. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A result, the errno of a failed one, and `bytes` of memory as a hash. */
static inline unsigned hash(const void *memory, long bytes) {
  unsigned h = 2166136261u;
  for (long i = 0; i < bytes; ++i) h = (h ^ ((const unsigned char *)memory)[i]) * 16777619u;
  return h;
}
static inline void say(const char *what, long result) {
  int error = result < 0 ? errno : 0;
  printf("%-40s %ld %s\n", what, result, error ? strerrorname_np(error) : "");
}
static inline void say_data(const char *what, long result, const void *memory) {
  int error = result < 0 ? errno : 0;
  printf("%-40s %ld %s %08x\n", what, result, error ? strerrorname_np(error) : "", hash(memory, result > 0 ? result : 0));
}

/* Calls `body` in a thread after a while: long enough for the caller to wait by then, whatever the outcome depends on. */
static inline void nap_ms(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) && errno == EINTR) {}
}
/* Until the thread has slept for so long on end. */
static inline void until_asleep(pid_t thread, int ms) {
  char name[64], line[512];
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
  for (int asleep = 0; asleep < ms; nap_ms(1)) {
    FILE *file = fopen(name, "r");
    const char *end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : 0;
    asleep = end && end[2] == 'S' ? asleep + 1 : 0;
    if (file) fclose(file);
  }
}
static inline double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

/* A file of `bytes` pseudo-random bytes that has no name any more. */
static inline int temporary(long bytes) {
  const char *folder = getenv("WEIR_TEST_FILES");
  char name[256];
  snprintf(name, sizeof name, "%s/weir-test-XXXXXX", folder ? folder : "/var/tmp");
  int fd = mkstemp(name);
  assert(fd >= 0);
  unlink(name);
  unsigned x = 1;
  char block[4096];
  for (long at = 0; at < bytes; at += sizeof block) {
    for (unsigned i = 0; i < sizeof block; ++i) block[i] = (char)((x = x * 1664525u + 1013904223u) >> 24);
    long n = bytes - at < (long)sizeof block ? bytes - at : (long)sizeof block;
    assert(pwrite(fd, block, n, at) == n);
  }
  return fd;
}
/* Takes what is cached of it out of the page cache. */
static inline void chill(int fd) {
  fsync(fd);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* Two TCP sockets of loopback that are connected to each other. */
static inline void tcp_pair(int pair[2]) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  assert(!bind(listener, (struct sockaddr *)&a, sizeof a) && !listen(listener, 8));
  getsockname(listener, (struct sockaddr *)&a, &size);
  pair[0] = socket(AF_INET, SOCK_STREAM, 0);
  assert(!connect(pair[0], (struct sockaddr *)&a, sizeof a));
  pair[1] = accept(listener, 0, 0);
  assert(pair[1] >= 0);
  close(listener);
}
static inline pthread_t start(void *(*body)(void *), void *argument) {
  pthread_t thread;
  assert(!pthread_create(&thread, 0, body, argument));
  return thread;
}
