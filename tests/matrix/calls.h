/* SPDX-License-Identifier: Apache-2.0 */
/* How each interposed name is called: by its kind of signature, found by name at run time. */
#pragma once

#include "kinds.h"

#include <dlfcn.h>
#include <wchar.h>

/* What one call is given. Every call leaves data in `buffer`, or takes it from there. */
struct arguments {
  struct subject *on;
  unsigned char *buffer; /* or memory that is not there */
  size_t bytes;
  long offset;
  int parts; /* of a vector, two bytes each; -1: three, of which one is empty */
  int flags;
};
typedef long (*caller)(void *function, struct arguments *a);
#define F(type) ((type)function)

static long c_read(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t))(a->on->fd, a->buffer, a->bytes); }
static long c_read_chk(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, size_t))(a->on->fd, a->buffer, a->bytes, a->bytes + 1); }
static long c_pread(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, off_t))(a->on->fd, a->buffer, a->bytes, a->offset); }
static long c_pread_chk(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, off_t, size_t))(a->on->fd, a->buffer, a->bytes, a->offset, a->bytes); }
#define MOST_PARTS 1025 /* one more than Linux takes */
static int split(struct iovec parts[MOST_PARTS], struct arguments *a) {
  if (a->parts >= 0) {
    for (int i = 0; i < a->parts; ++i) parts[i] = (struct iovec){a->buffer + 2 * i, 2};
    return a->parts;
  }
  size_t first = a->bytes / 3;
  parts[0] = (struct iovec){a->buffer, first};
  parts[1] = (struct iovec){a->buffer + first, 0};
  parts[2] = (struct iovec){a->buffer + first, a->bytes - first};
  return 3;
}
static long c_vector(void *function, struct arguments *a) {
  struct iovec parts[MOST_PARTS];
  int count = split(parts, a);
  return F(ssize_t(*)(int, const struct iovec *, int))(a->on->fd, parts, count);
}
static long c_pvector(void *function, struct arguments *a) {
  struct iovec parts[MOST_PARTS];
  int count = split(parts, a);
  return F(ssize_t(*)(int, const struct iovec *, int, off_t))(a->on->fd, parts, count, a->offset);
}
static long c_pvector2(void *function, struct arguments *a) {
  struct iovec parts[MOST_PARTS];
  int count = split(parts, a);
  return F(ssize_t(*)(int, const struct iovec *, int, off_t, int))(a->on->fd, parts, count, a->offset, a->flags);
}
static long c_recv(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, int))(a->on->fd, a->buffer, a->bytes, a->flags); }
static long c_recv_chk(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, size_t, int))(a->on->fd, a->buffer, a->bytes, a->bytes, a->flags); }
static long c_recvfrom(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, int, void *, void *))(a->on->fd, a->buffer, a->bytes, a->flags, 0, 0); }
static long c_recvfrom_chk(void *function, struct arguments *a) { return F(ssize_t(*)(int, void *, size_t, size_t, int, void *, void *))(a->on->fd, a->buffer, a->bytes, a->bytes, a->flags, 0, 0); }
static long c_message(void *function, struct arguments *a) {
  struct iovec parts[MOST_PARTS];
  int count = split(parts, a);
  struct msghdr m = {.msg_iov = parts, .msg_iovlen = (size_t)count};
  return F(ssize_t(*)(int, struct msghdr *, int))(a->on->fd, &m, a->flags);
}
static long c_messages(void *function, struct arguments *a) {
  struct iovec parts[MOST_PARTS];
  int count = split(parts, a);
  struct mmsghdr m = {.msg_hdr = {.msg_iov = parts, .msg_iovlen = (size_t)count}};
  return F(int (*)(int, struct mmsghdr *, unsigned, int, void *))(a->on->fd, &m, 1, a->flags, 0) * 100000L + m.msg_len;
}
static long c_accept(void *function, struct arguments *a) { return F(int (*)(int, void *, void *))(a->on->fd, 0, 0) >= 0 ? 1 : -1; }
static long c_accept4(void *function, struct arguments *a) { return F(int (*)(int, void *, void *, int))(a->on->fd, 0, 0, SOCK_CLOEXEC) >= 0 ? 1 : -1; }
static long c_connect(void *function, struct arguments *a) {
  struct sockaddr_in nobody = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return F(int (*)(int, void *, socklen_t))(a->on->fd, &nobody, sizeof nobody);
}
/* Where something will come, long; where nothing will, not. */
static int limit_ms(struct arguments *a) { return a->on->feed_ms || a->on->timed ? 5000 : 3; }
static long c_poll(void *function, struct arguments *a) {
  struct pollfd one = {a->on->fd, POLLIN, 0};
  long n = F(int (*)(struct pollfd *, nfds_t, int))(&one, 1, limit_ms(a));
  return n < 0 ? n : n * 1000 + one.revents;
}
static long c_poll_chk(void *function, struct arguments *a) {
  struct pollfd one = {a->on->fd, POLLIN, 0};
  long n = F(int (*)(struct pollfd *, nfds_t, int, size_t))(&one, 1, limit_ms(a), sizeof one);
  return n < 0 ? n : n * 1000 + one.revents;
}
static long c_ppoll(void *function, struct arguments *a) {
  struct pollfd one = {a->on->fd, POLLIN, 0};
  long n = F(int (*)(struct pollfd *, nfds_t, void *, void *, size_t))(&one, 1, &(struct timespec){limit_ms(a) / 1000, limit_ms(a) % 1000 * 1000000}, 0, sizeof one);
  return n < 0 ? n : n * 1000 + one.revents;
}
static long c_select(void *function, struct arguments *a) {
  if (a->on->fd < 0 || a->on->fd >= FD_SETSIZE) return 0;
  fd_set in;
  FD_ZERO(&in);
  FD_SET(a->on->fd, &in);
  long n = F(int (*)(int, fd_set *, fd_set *, fd_set *, void *))(a->on->fd + 1, &in, 0, 0, &(struct timeval){limit_ms(a) / 1000, limit_ms(a) % 1000 * 1000});
  return n < 0 ? n : n * 2 + !!FD_ISSET(a->on->fd, &in);
}
static long c_pselect(void *function, struct arguments *a) {
  if (a->on->fd < 0 || a->on->fd >= FD_SETSIZE) return 0;
  fd_set in;
  FD_ZERO(&in);
  FD_SET(a->on->fd, &in);
  long n = F(int (*)(int, fd_set *, fd_set *, fd_set *, void *, void *))(a->on->fd + 1, &in, 0, 0, &(struct timespec){limit_ms(a) / 1000, limit_ms(a) % 1000 * 1000000}, 0);
  return n < 0 ? n : n * 2 + !!FD_ISSET(a->on->fd, &in);
}
static long c_epoll(void *function, struct arguments *a) {
  struct epoll_event got = {0};
  long n = F(int (*)(int, void *, int, int, void *))(a->on->fd, &got, 1, limit_ms(a), 0);
  return n < 0 ? n : n * 1000 + (long)got.data.u64;
}
static long c_epoll2(void *function, struct arguments *a) {
  struct epoll_event got = {0};
  long n = F(int (*)(int, void *, int, void *, void *))(a->on->fd, &got, 1, &(struct timespec){limit_ms(a) / 1000, limit_ms(a) % 1000 * 1000000}, 0);
  return n < 0 ? n : n * 1000 + (long)got.data.u64;
}
static long c_fd(void *function, struct arguments *a) { return F(int (*)(int))(a->on->fd); }
static long c_dup(void *function, struct arguments *a) {
  int fd = F(int (*)(int))(a->on->fd);
  if (fd >= 0) syscall(SYS_close, fd);
  return fd >= 0 ? 1 : -1;
}
static long c_dup2(void *function, struct arguments *a) {
  int onto = (int)syscall(SYS_dup, 2);
  int fd = F(int (*)(int, int, int))(a->on->fd, onto, O_CLOEXEC);
  int result = fd == onto ? 1 : -1, error = errno;
  syscall(SYS_close, onto);
  errno = error;
  return result;
}

/* stdio, on a FILE over a copy of the descriptor. */
static FILE *over(struct arguments *a, const char *mode) {
  int copy = (int)syscall(SYS_dup, a->on->fd);
  if (copy < 0) return 0;
  FILE *f = fdopen(copy, mode);
  if (!f) {
    int error = errno;
    syscall(SYS_close, copy);
    errno = error;
  }
  return f;
}
static long closed(FILE *f, long result) {
  long all = result * 4 + !!feof(f) + 2 * !!ferror(f), error = errno;
  fclose(f);
  errno = (int)error;
  return all;
}
static long c_fread(void *function, struct arguments *a) {
  FILE *f = over(a, "r");
  return f ? closed(f, F(size_t(*)(void *, size_t, size_t, FILE *))(a->buffer, 1, a->bytes < 13 ? a->bytes : 13, f)) : -1;
}
static long c_fread_chk(void *function, struct arguments *a) {
  FILE *f = over(a, "r");
  size_t n = a->bytes < 13 ? a->bytes : 13;
  return f ? closed(f, F(size_t(*)(void *, size_t, size_t, size_t, FILE *))(a->buffer, n, 1, n, f)) : -1;
}
static long c_fgets(void *function, struct arguments *a) {
  FILE *f = over(a, "r");
  return f ? closed(f, F(char *(*)(void *, int, FILE *))(a->buffer, a->bytes < 13 ? (int)a->bytes + 1 : 14, f) != 0) : -1;
}
static long c_fgets_chk(void *function, struct arguments *a) {
  FILE *f = over(a, "r");
  return f ? closed(f, F(char *(*)(void *, size_t, int, FILE *))(a->buffer, 100, a->bytes < 13 ? (int)a->bytes + 1 : 14, f) != 0) : -1;
}
static long c_getc(void *function, struct arguments *a) {
  FILE *f = over(a, "r");
  return f ? closed(f, F(int (*)(FILE *))(f)) : -1;
}
static long c_fwrite(void *function, struct arguments *a) {
  FILE *f = over(a, "w");
  return f ? closed(f, F(size_t(*)(void *, size_t, size_t, FILE *))(a->buffer, 1, a->bytes, f) * 2 + !!fflush(f)) : -1;
}
static long c_fputs(void *function, struct arguments *a) {
  FILE *f = over(a, "w");
  return f ? closed(f, (F(int (*)(const char *, FILE *))("text\n", f) >= 0) * 2 + !!fflush(f)) : -1;
}
static long c_fprintf(void *function, struct arguments *a) {
  FILE *f = over(a, "w");
  return f ? closed(f, F(int (*)(FILE *, const char *, ...))(f, "%s %d", "text", 5) * 2 + !!fflush(f)) : -1;
}
static long c_fprintf_chk(void *function, struct arguments *a) {
  FILE *f = over(a, "w");
  return f ? closed(f, F(int (*)(FILE *, int, const char *, ...))(f, 1, "%s %d", "text", 5) * 2 + !!fflush(f)) : -1;
}
static long c_dprintf(void *function, struct arguments *a) { return F(int (*)(int, const char *, ...))(a->on->fd, "%s %d", "text", 5); }
static long c_dprintf_chk(void *function, struct arguments *a) { return F(int (*)(int, int, const char *, ...))(a->on->fd, 1, "%s %d", "text", 5); }

enum way { in = 1, out = 2, either = 3, once = 4 /* sizes make no difference */, at = 8 /* has an offset */ };
struct call {
  const char *name;
  caller how;
  int way;
};
static const struct call calls[] = {
    {"read", c_read, in}, {"__read", c_read, in}, {"__read_chk", c_read_chk, in}, {"readv", c_vector, in},
    {"pread", c_pread, in | at}, {"pread64", c_pread, in | at}, {"__pread64", c_pread, in | at},
    {"__pread_chk", c_pread_chk, in | at}, {"__pread64_chk", c_pread_chk, in | at}, {"preadv", c_pvector, in | at},
    {"preadv64", c_pvector, in | at}, {"preadv2", c_pvector2, in | at}, {"preadv64v2", c_pvector2, in | at},
    {"recv", c_recv, in}, {"__recv", c_recv, in}, {"__recv_chk", c_recv_chk, in}, {"recvfrom", c_recvfrom, in},
    {"__recvfrom_chk", c_recvfrom_chk, in}, {"recvmsg", c_message, in}, {"recvmmsg", c_messages, in},
    {"accept", c_accept, in | once}, {"accept4", c_accept4, in | once},
    {"write", c_read, out}, {"__write", c_read, out}, {"writev", c_vector, out}, {"pwrite", c_pread, out | at},
    {"pwrite64", c_pread, out | at}, {"__pwrite64", c_pread, out | at}, {"pwritev", c_pvector, out | at},
    {"pwritev64", c_pvector, out | at}, {"pwritev2", c_pvector2, out | at}, {"pwritev64v2", c_pvector2, out | at},
    {"send", c_recv, out}, {"__send", c_recv, out}, {"sendto", c_recvfrom, out}, {"sendmsg", c_message, out},
    {"sendmmsg", c_messages, out}, {"__sendmmsg", c_messages, out},
    {"connect", c_connect, out | once}, {"__connect", c_connect, out | once},
    {"poll", c_poll, in | once}, {"__poll", c_poll, in | once}, {"__poll_chk", c_poll_chk, in | once},
    {"ppoll", c_ppoll, in | once}, {"__ppoll_chk", c_ppoll, in | once}, {"select", c_select, in | once},
    {"__select", c_select, in | once}, {"pselect", c_pselect, in | once}, {"epoll_wait", c_epoll, in | once},
    {"epoll_pwait", c_epoll, in | once}, {"epoll_pwait2", c_epoll2, in | once},
    {"fsync", c_fd, either | once}, {"fdatasync", c_fd, either | once}, {"dup", c_dup, either | once},
    {"dup2", c_dup2, either | once}, {"__dup2", c_dup2, either | once}, {"dup3", c_dup2, either | once},
    {"fread", c_fread, in}, {"fread_unlocked", c_fread, in}, {"__fread_chk", c_fread_chk, in},
    {"__fread_unlocked_chk", c_fread_chk, in}, {"fgets", c_fgets, in}, {"fgets_unlocked", c_fgets, in},
    {"__fgets_chk", c_fgets_chk, in}, {"__fgets_unlocked_chk", c_fgets_chk, in}, {"getc", c_getc, in | once},
    {"fgetc", c_getc, in | once}, {"_IO_getc", c_getc, in | once}, {"getc_unlocked", c_getc, in | once},
    {"fgetc_unlocked", c_getc, in | once}, {"__uflow", c_getc, in | once}, {"__underflow", c_getc, in | once},
    {"getw", c_getc, in | once}, {"getwc", c_getc, in | once}, {"fgetwc", c_getc, in | once},
    {"getwc_unlocked", c_getc, in | once}, {"fgetwc_unlocked", c_getc, in | once},
    {"fwrite", c_fwrite, out}, {"fwrite_unlocked", c_fwrite, out}, {"fputs", c_fputs, out | once},
    {"fputs_unlocked", c_fputs, out | once}, {"fprintf", c_fprintf, out | once}, {"__fprintf_chk", c_fprintf_chk, out | once},
    {"dprintf", c_dprintf, out | once}, {"__dprintf_chk", c_dprintf_chk, out | once}};
#define CALLS ((int)(sizeof calls / sizeof *calls))
