/* SPDX-License-Identifier: Apache-2.0 */
/* Every blocking-style call from a plain C thread: values as the kernel's, -errno instead of errno. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "weir/operation.h"
#include "weir/weir.h"

static int failures;

#define CHECK(what)                                              \
  do {                                                           \
    if (!(what)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
      ++failures;                                                \
    }                                                            \
  } while (0)

static long elapsed_ms(const struct timespec *since) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

static void files(void) {
  char name[] = "/var/tmp/weir_api_XXXXXX";
  int fd = mkstemp(name);
  char data[10000], got[10000];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = (char)(i * 7);
  CHECK(weir_write(fd, data, sizeof data) == sizeof data);
  CHECK(lseek(fd, 0, SEEK_CUR) == sizeof data);
  CHECK(weir_pwrite(fd, "xyz", 3, 5) == 3);
  memcpy(data + 5, "xyz", 3);
  CHECK(weir_fsync(fd) == 0);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  CHECK(weir_pread(fd, got, sizeof got, 0) == sizeof got);
  CHECK(!memcmp(data, got, sizeof got));
  CHECK(weir_pread(fd, got, sizeof got, 9000) == 1000);
  CHECK(weir_pread(fd, got, 1, 10000) == 0);
  CHECK(weir_pread(fd, got, 1, -1) == -EINVAL);
  lseek(fd, 100, SEEK_SET);
  struct iovec parts[2] = {{got, 10}, {got + 50, 20}};
  CHECK(weir_readv(fd, parts, 2) == 30);
  CHECK(!memcmp(got, data + 100, 10) && !memcmp(got + 50, data + 110, 20));
  CHECK(weir_read(fd, got, 7) == 7 && !memcmp(got, data + 130, 7));
  close(fd);
  unlink(name);
  CHECK(weir_read(fd, got, 1) == -EBADF);
  CHECK(weir_pread(-1, got, 1, 0) == -EBADF);
}

/* Where its first page is cached and the rest is not, a read is whole all the same, and the next one goes on behind it. */
static void cold_behind_the_first_page(void) {
  enum { bytes = 1 << 20, page = 4096 };
  char name[] = "/var/tmp/weir_api_XXXXXX";
  char *data = malloc(bytes), *got = malloc(bytes);
  for (int i = 0; i < bytes; ++i) data[i] = (char)(i * 7 + i / page);
  int fd = mkstemp(name);
  CHECK(weir_write(fd, data, bytes) == bytes && weir_fsync(fd) == 0);
  for (int way = 0; way < 3; ++way) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    CHECK(pread(fd, got, page, 0) == page);
    memset(got, 0, bytes);
    lseek(fd, 10, SEEK_SET);
    struct iovec parts[3] = {{got, 5}, {got + 5, 300000}, {got + 300005, bytes - 300005}};
    ssize_t moved = 0;
    weir_operation *operation;
    if (way == 0) moved = weir_read(fd, got, bytes - 20);
    if (way == 1) moved = weir_readv(fd, parts, 3) - 10;
    if (way == 2 && !weir_start_read(&operation, fd, got, bytes - 20, -1)) moved = weir_wait(operation);
    CHECK(moved == bytes - 20);
    CHECK(!memcmp(got, data + 10, bytes - 20));
    CHECK(weir_read(fd, got, 20) == (way == 1 ? 0 : 10));
  }
  close(fd);
  unlink(name);
  free(data), free(got);
}

static void refusals(void) {
  char byte;
  weir_operation *operation;
  int ends[2];
  CHECK(pipe(ends) == 0);
  CHECK(weir_readv(ends[0], (struct iovec *)16, 1) == -EFAULT);
  CHECK(weir_readv(ends[0], NULL, -1) == -EINVAL);
  CHECK(weir_readv(ends[0], NULL, 0) == 0);
  CHECK(weir_readv(-1, NULL, 0) == -EBADF);
  CHECK(weir_start_read(&operation, ends[0], &byte, 1, -7) == -EINVAL);
  CHECK(weir_start_write(&operation, ends[1], &byte, 1, -7) == -EINVAL);
  close(ends[0]), close(ends[1]);
}

static void *say_later(void *fd) {
  usleep(20000);
  CHECK(weir_send(*(int *)fd, "hello", 5, 0) == 5);
  return NULL;
}

static void *drain(void *fd) {
  static char got[65536];
  size_t sum = 0;
  ssize_t n;
  while ((n = weir_recv(*(int *)fd, got, sizeof got, 0)) > 0) sum += (size_t)n;
  return (void *)sum;
}

static void sockets(void) {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof where;
  CHECK(bind(listener, (struct sockaddr *)&where, size) == 0);
  CHECK(weir_connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&where, sizeof(sa_family_t)) == -EINVAL);
  listen(listener, 4);
  getsockname(listener, (struct sockaddr *)&where, &size);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(weir_connect(client, (struct sockaddr *)&where, sizeof where) == 0);
  struct sockaddr_in peer;
  size = sizeof peer;
  int server = weir_accept(listener, (struct sockaddr *)&peer, &size, SOCK_CLOEXEC);
  CHECK(server >= 0 && size == sizeof peer);

  struct iovec one = {&(char){0}, 1};
  struct msghdr nothing_yet = {.msg_iov = &one, .msg_iovlen = 1};
  CHECK(weir_recv(server, one.iov_base, 1, MSG_DONTWAIT) == -EAGAIN);
  CHECK(weir_recvmsg(server, &nothing_yet, MSG_DONTWAIT) == -EAGAIN);

  pthread_t thread;
  pthread_create(&thread, NULL, say_later, &client);
  char got[16] = "";
  CHECK(weir_recv(server, got, 5, MSG_WAITALL) == 5 && !strcmp(got, "hello"));
  pthread_join(thread, NULL);
  CHECK(weir_send(client, "ab", 2, 0) == 2);
  pthread_create(&thread, NULL, say_later, &client);
  CHECK(weir_recv(server, got, 7, MSG_WAITALL | MSG_PEEK) == 7 && !strcmp(got, "abhello"));
  CHECK(weir_recv(server, got, 7, MSG_WAITALL) == 7 && !strcmp(got, "abhello"));
  pthread_join(thread, NULL);

  /* A descriptor that is O_NONBLOCK waits here all the same; a long message goes out whole. */
  fcntl(client, F_SETFL, O_NONBLOCK);
  size_t bytes = 8 << 20;
  char *much = calloc(1, bytes);
  pthread_create(&thread, NULL, drain, &server);
  CHECK(weir_send(client, much, bytes, 0) == (ssize_t)bytes);
  close(client);
  void *sum;
  pthread_join(thread, &sum);
  CHECK((size_t)sum == bytes);
  free(much);
  struct iovec part = {got, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  CHECK(weir_recvmsg(server, &message, 0) == 0);
  close(server);
  close(listener);
}

static void *say_in_parts(void *fd) {
  for (int i = 0; i < 3; ++i) usleep(30000), send(*(int *)fd, "abc", 3, 0);
  return NULL;
}

static void *accept_later(void *fd) {
  usleep(50000);
  return (void *)(intptr_t)accept(*(int *)fd, NULL, NULL);
}

/* What a descriptor says of waiting does not matter here. */
static void patience(void) {
  for (int way = 0; way < 4; ++way) {
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | (way & 1 ? SOCK_NONBLOCK : 0), 0, ends) == 0);
    struct timeval moment = {0, 10000};
    if (!(way & 1)) setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment);
    pthread_t thread;
    pthread_create(&thread, NULL, say_in_parts, &ends[1]);
    char got[10] = "";
    if (way & 2) usleep(40000);
    CHECK(weir_recv(ends[0], got, 9, MSG_WAITALL) == 9 && !strcmp(got, "abcabcabc"));
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, say_later, &ends[1]);
    CHECK(weir_recv(ends[0], got, 5, MSG_WAITALL | MSG_PEEK) == 5);
    CHECK(weir_recv(ends[0], got, 5, 0) == 5);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, say_in_parts, &ends[1]);
    char more[8] = "";
    struct iovec parts[] = {{got, 4}, {NULL, 0}, {more, 5}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    CHECK(weir_recvmsg(ends[0], &message, MSG_WAITALL) == 9 && !memcmp(got, "abca", 4) && !strcmp(more, "bcabc"));
    pthread_join(thread, NULL);
    CHECK(send(ends[1], "end", 3, 0) == 3);
    close(ends[1]);
    message.msg_iovlen = 1;
    parts[0].iov_len = 9;
    CHECK(weir_recvmsg(ends[0], &message, MSG_WAITALL) == 3);
    close(ends[0]);
  }
}

/* A unix socket whose queue is full takes nobody at once. */
static void full_queue(void) {
  struct sockaddr_un where = {.sun_family = AF_UNIX};
  char folder[] = "/tmp/weir_api_XXXXXX";
  CHECK(mkdtemp(folder));
  snprintf(where.sun_path, sizeof where.sun_path, "%s/socket", folder);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(bind(listener, (struct sockaddr *)&where, sizeof where) == 0 && listen(listener, 0) == 0);
  int sockets[3];
  for (int i = 0; i < 3; ++i) {
    sockets[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    pthread_t thread;
    if (i) pthread_create(&thread, NULL, accept_later, &listener);
    weir_operation *operation;
    if (i < 2) CHECK(weir_connect(sockets[i], (struct sockaddr *)&where, sizeof where) == 0);
    else CHECK(weir_start_connect(&operation, sockets[i], (struct sockaddr *)&where, sizeof where) == 0 && weir_wait(operation) == 0);
    void *taken;
    if (i) pthread_join(thread, &taken), close((int)(intptr_t)taken);
  }
  for (int i = 0; i < 3; ++i) close(sockets[i]);
  close(listener);
  unlink(where.sun_path), rmdir(folder);
}

static volatile sig_atomic_t alarms;

/* Not for ever, so that a call that each of them makes wait anew ends too. */
static void rings(int signal) {
  (void)signal;
  if (++alarms == 100) setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
}

static void signals_do_not_prolong_a_wait(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct sigaction old, action = {.sa_handler = rings};
  sigaction(SIGALRM, &action, &old);
  struct itimerval often = {{0, 20000}, {0, 20000}};
  struct timespec began;
  alarms = 0;
  setitimer(ITIMER_REAL, &often, NULL);
  clock_gettime(CLOCK_MONOTONIC, &began);
  CHECK(weir_poll(ends[0], POLLIN, 200 * 1000000) == 0);
  CHECK(weir_sleep(200 * 1000000) == 0);
  CHECK(elapsed_ms(&began) >= 399 && elapsed_ms(&began) < 1500);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  sigaction(SIGALRM, &old, NULL);
  close(ends[0]), close(ends[1]);
}

/* A limit so far away that there is no such moment. */
static void without_end(void) {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, say_later, &ends[1]);
  CHECK(weir_poll(ends[0], POLLIN, INT64_MAX) == POLLIN);
  pthread_join(thread, NULL);
  close(ends[0]), close(ends[1]);
}

static void datagrams(void) {
  int ends[2];
  char got[16] = "";
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  CHECK(weir_send(ends[1], "four", 4, 0) == 4);
  CHECK(weir_recv(ends[0], got, 10, MSG_WAITALL) == 4); /* a datagram is all there is */
  close(ends[0]), close(ends[1]);
}

static void waiting(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  CHECK(weir_poll(ends[0], POLLIN, 30 * 1000000) == 0);
  CHECK(weir_sleep(30 * 1000000) == 0);
  CHECK(elapsed_ms(&began) >= 59);
  CHECK(weir_sleep(-1) == -EINVAL);
  CHECK(weir_write(ends[1], "x", 1) == 1);
  CHECK(weir_poll(ends[0], POLLIN, -1) == POLLIN);
  close(ends[1]);
  char byte;
  CHECK(weir_read(ends[0], &byte, 1) == 1);
  CHECK(weir_read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

static void after_fork(void) {
  pid_t child = fork();
  if (!child) {
    failures = 0;
    CHECK(weir_init(NULL) == 0);
    waiting();
    _exit(failures ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  waiting();
}

/* In a process of its own: how many permits there are at first. */
static int first_permits(int64_t most) {
  pid_t child = fork();
  if (!child) {
    weir_options options = {.size = sizeof options, .max_permits = most};
    weir_statistics s = {.size = sizeof s};
    _exit(weir_init(&options) || weir_statistics_get(&s) || s.permits > 255 ? 0 : (int)s.permits);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void any_number_of_permits(void) {
  CHECK(first_permits(1) == 1);
  CHECK(first_permits(3000000000) == first_permits(2000000000));
  CHECK(first_permits(3000000000) > 1);
}

/* With one permit, most wait for it. One that is cancelled does not wait until its turn comes, nor is it done. */
static void queued_and_cancelled(void) {
  enum { reads = 40, bytes = 1 << 20 };
  pid_t child = fork();
  if (!child) {
    failures = 0;
    weir_options options = {.size = sizeof options, .permits = 1};
    CHECK(weir_init(&options) == 0);
    char name[] = "/var/tmp/weir_api_XXXXXX", *memory = aligned_alloc(4096, bytes);
    int fd = mkstemp(name);
    unlink(name);
    memset(memory, 1, bytes);
    for (int i = 0; i < reads; ++i) CHECK(weir_pwrite(fd, memory, bytes, (off_t)i * bytes) == bytes);
    CHECK(weir_fsync(fd) == 0);
    fcntl(fd, F_SETFL, O_DIRECT);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    weir_operation *under_way[reads];
    for (int i = 0; i < reads; ++i) CHECK(weir_start_read(&under_way[i], fd, memory, bytes, (off_t)i * bytes) == 0);
    weir_statistics s = {.size = sizeof s};
    CHECK(weir_statistics_get(&s) == 0);
    weir_cancel(under_way[reads - 1]);
    ssize_t last = weir_wait(under_way[reads - 1]), limited = weir_wait_within(under_way[reads - 2], 0);
    if (s.ring_operations > 0 && s.in_flight > reads / 2) CHECK(last == -ECANCELED && limited == -ETIMEDOUT);
    for (int i = 0; i < reads - 2; ++i) CHECK(weir_wait(under_way[i]) == bytes);
    CHECK(weir_statistics_get(&s) == 0 && s.in_flight == 0);
    _exit(failures ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

static void numbers_below_zero(void) {
  weir_options threads = {.size = sizeof threads, .threads = -4};
  weir_options permits = {.size = sizeof permits, .permits = -1};
  weir_options most = {.size = sizeof most, .max_permits = -128};
  CHECK(weir_init(&threads) == -EINVAL && weir_init(&permits) == -EINVAL && weir_init(&most) == -EINVAL);
}

int main(void) {
  queued_and_cancelled();
  any_number_of_permits();
  weir_options options = {.size = 3};
  CHECK(weir_init(&options) == -EINVAL);
  numbers_below_zero();
  CHECK(weir_init(NULL) == 0 && weir_init(NULL) == 0);
  errno = 77;
  files();
  cold_behind_the_first_page();
  refusals();
  sockets();
  patience();
  full_queue();
  datagrams();
  waiting();
  signals_do_not_prolong_a_wait();
  without_end();
  after_fork();
  weir_statistics s = {.size = sizeof s};
  CHECK(weir_statistics_get(&s) == 0 && s.calls > 20 && s.in_flight == 0);
  s.size = 1;
  CHECK(weir_statistics_get(&s) == -EINVAL && weir_statistics_get(NULL) == -EINVAL);
  CHECK(!strcmp(weir_version(), WEIR_VERSION_STRING));
  CHECK(weir_close() == 0 && weir_close() == 0);
  return failures ? 1 : 0;
}
