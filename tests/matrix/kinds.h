/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of every kind, in every state, made anew for each case. */
#pragma once

#include "../preload/case.h"

#include <pty.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <termios.h>

struct subject {
  int fd;        /* what the call is made on */
  int peer;      /* the other end, or -1 */
  long feed_ms;  /* > 0: the peer writes after so long */
  int timed;     /* becomes ready by itself */
  int calling;   /* the call is about to be made */
  int fed;       /* the peer has written, or is about to */
};
enum state { ready, late, ended, nonblocking, full, limited /* SO_RCVTIMEO, SO_SNDTIMEO; and it has nothing */, states };
static const char *const state_names[] = {"ready", "late", "ended", "nonblocking", "full", "limited"};
static const char hello[] = "hello, matrix";

struct kind {
  const char *name;
  int stream;  /* has the states; the others have only `ready` */
  void (*make)(struct subject *s);
};

static void kind_file(struct subject *s) { s->fd = temporary(10000); lseek(s->fd, 0, SEEK_SET); }
static void kind_cold(struct subject *s) { kind_file(s); chill(s->fd); }
static void kind_end(struct subject *s) { kind_file(s); lseek(s->fd, 9997, SEEK_SET); }
static void kind_append(struct subject *s) { kind_file(s); fcntl(s->fd, F_SETFL, O_APPEND); }
static void reopened(struct subject *s, int mode) {
  char name[64];
  int file = temporary(10000);
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  s->fd = open(name, mode);
  syscall(SYS_close, file);
}
static void kind_to_write(struct subject *s) { reopened(s, O_WRONLY); }
static void kind_to_read(struct subject *s) { reopened(s, O_RDONLY); }
static void kind_direct(struct subject *s) { kind_file(s); fcntl(s->fd, F_SETFL, O_DIRECT); }
static void kind_read_only(struct subject *s) { s->fd = open("/proc/version", O_RDONLY); }
static void kind_tmpfs(struct subject *s) {
  s->fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
  if (s->fd >= 0) (void)!pwrite(s->fd, hello, 13, 0);
}
static void kind_memfd(struct subject *s) { s->fd = memfd_create("m", 0); (void)!pwrite(s->fd, hello, 13, 0); }
static void kind_null(struct subject *s) { s->fd = open("/dev/null", O_RDWR); }
static void kind_zero(struct subject *s) { s->fd = open("/dev/zero", O_RDWR); }
static void kind_random(struct subject *s) { s->fd = open("/dev/urandom", O_RDWR); }
static void kind_directory(struct subject *s) { s->fd = open("/", O_RDONLY); }
static void kind_path(struct subject *s) { s->fd = open("/etc/passwd", O_PATH); }
static void kind_closed(struct subject *s) { s->fd = 9999; }
static void kind_negative(struct subject *s) { s->fd = -1; }
static void kind_eventfd(struct subject *s) { s->fd = eventfd(3, EFD_NONBLOCK); }
static void kind_timerfd(struct subject *s) {
  s->timed = 1;
  s->fd = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(s->fd, 0, &(struct itimerspec){.it_value = {0, 1000000}}, 0);
}
static void kind_signalfd(struct subject *s) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  s->fd = signalfd(-1, &set, SFD_NONBLOCK);
}
static void kind_inotify(struct subject *s) { s->fd = inotify_init1(IN_NONBLOCK); }
static void kind_epoll(struct subject *s) {
  int p[2];
  (void)!pipe(p);
  (void)!write(p[1], "x", 1);
  s->fd = epoll_create1(0);
  s->peer = p[1];
  epoll_ctl(s->fd, EPOLL_CTL_ADD, p[0], &(struct epoll_event){.events = EPOLLIN, .data.u64 = 5});
}
static void kind_pipe_in(struct subject *s) {
  int p[2];
  (void)!pipe(p);
  s->fd = p[0], s->peer = p[1];
}
static void kind_pipe_out(struct subject *s) {
  int p[2];
  (void)!pipe(p);
  s->fd = p[1], s->peer = p[0];
}
static void kind_fifo(struct subject *s) {
  char name[64];
  static int serial;
  snprintf(name, sizeof name, "/tmp/weir-fifo-%d-%d", getpid(), __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
  mkfifo(name, 0600);
  s->fd = open(name, O_RDONLY | O_NONBLOCK);
  s->peer = open(name, O_WRONLY);
  fcntl(s->fd, F_SETFL, 0);
  unlink(name);
}
static void kind_terminal(struct subject *s) {
  struct termios raw;
  (void)!openpty(&s->peer, &s->fd, 0, 0, 0);
  tcgetattr(s->fd, &raw);
  cfmakeraw(&raw);
  tcsetattr(s->fd, TCSANOW, &raw);
}
static void pair(struct subject *s, int type) {
  int p[2];
  socketpair(AF_UNIX, type, 0, p);
  s->fd = p[0], s->peer = p[1];
}
static void kind_unix_stream(struct subject *s) { pair(s, SOCK_STREAM); }
static void kind_unix_dgram(struct subject *s) { pair(s, SOCK_DGRAM); }
static void kind_seqpacket(struct subject *s) { pair(s, SOCK_SEQPACKET); }
static void kind_tcp(struct subject *s) {
  int p[2];
  tcp_pair(p);
  s->fd = p[0], s->peer = p[1];
}
static void kind_udp(struct subject *s) {
  struct sockaddr_in a[2] = {{.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}};
  a[1] = a[0];
  int p[2];
  for (int i = 0; i < 2; ++i) {
    socklen_t size = sizeof a[i];
    p[i] = socket(AF_INET, SOCK_DGRAM, 0);
    bind(p[i], (struct sockaddr *)&a[i], size);
    getsockname(p[i], (struct sockaddr *)&a[i], &size);
  }
  for (int i = 0; i < 2; ++i) connect(p[i], (struct sockaddr *)&a[!i], sizeof a[0]);
  s->fd = p[0], s->peer = p[1];
}
static void kind_listener(struct subject *s) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof a;
  s->fd = socket(AF_INET, SOCK_STREAM, 0);
  bind(s->fd, (struct sockaddr *)&a, size);
  listen(s->fd, 4);
  getsockname(s->fd, (struct sockaddr *)&a, &size);
  s->peer = socket(AF_INET, SOCK_STREAM, 0);
  connect(s->peer, (struct sockaddr *)&a, size);
}

static const struct kind kinds[] = {
    {"file", 0, kind_file}, {"cold file", 0, kind_cold}, {"file, near the end", 0, kind_end},
    {"file, O_WRONLY", 0, kind_to_write}, {"file, O_RDONLY", 0, kind_to_read},
    {"file, append", 0, kind_append}, {"file, direct", 0, kind_direct}, {"proc", 0, kind_read_only},
    {"tmpfs", 0, kind_tmpfs}, {"memfd", 0, kind_memfd}, {"null", 0, kind_null}, {"zero", 0, kind_zero},
    {"urandom", 0, kind_random},
    {"directory", 0, kind_directory}, {"O_PATH", 0, kind_path}, {"closed", 0, kind_closed}, {"-1", 0, kind_negative},
    {"eventfd", 0, kind_eventfd}, {"timerfd", 0, kind_timerfd}, {"signalfd", 0, kind_signalfd},
    {"inotify", 0, kind_inotify}, {"epoll", 0, kind_epoll}, {"listener", 0, kind_listener},
    {"pipe, in", 1, kind_pipe_in}, {"pipe, out", 2, kind_pipe_out}, {"fifo", 1, kind_fifo}, {"terminal", 3, kind_terminal},
    {"unix stream", 3, kind_unix_stream}, {"unix datagrams", 3, kind_unix_dgram}, {"seqpacket", 3, kind_seqpacket},
    {"tcp", 3, kind_tcp}, {"udp", 1, kind_udp}};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* Without libc's names, which are what is being tested. */
static inline long kernel_write(int fd, const void *from, size_t bytes) { return syscall(SYS_write, fd, from, bytes); }
static inline long kernel_read(int fd, void *to, size_t bytes) { return syscall(SYS_read, fd, to, bytes); }

static inline int is_socket(const struct kind *kind) {
  return kind->stream && kind->make != kind_pipe_in && kind->make != kind_pipe_out && kind->make != kind_fifo &&
         kind->make != kind_terminal;
}

static inline int ready_within(int fd, int ms) {
  struct timespec limit = {ms / 1000, ms % 1000 * 1000000};
  return syscall(SYS_ppoll, &(struct pollfd){fd, POLLIN, 0}, 1, &limit, 0, 8) > 0;
}

static int late_ms = 2; /* so long after the call its data comes */

/* Brings a stream into the state. */
static void enter(struct subject *s, const struct kind *kind, enum state state) {
  static char much[4096];
  if (!kind->stream) return;
  if (kind->stream & 1) switch (state) {
      case ready:
        kernel_write(s->peer, hello, 13);
        if (kind->make == kind_terminal) ready_within(s->fd, 1000); /* it is handed over by a thread of the kernel's */
        break;
      case late: s->feed_ms = late_ms; break;
      case ended: syscall(SYS_close, s->peer), s->peer = -1; break;
      default: break;
    }
  if (kind->stream == 2 && state == ended) syscall(SYS_close, s->peer), s->peer = -1;
  if (state == nonblocking || state == full || state == limited) fcntl(s->fd, F_SETFL, O_NONBLOCK);
  if ((state == full || state == limited) && kind->stream & 2)
    while (kernel_write(s->fd, much, sizeof much) > 0) {}
  if (state != limited) return;
  struct timeval limit = {0, 2000};
  setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  fcntl(s->fd, F_SETFL, 0);
}
