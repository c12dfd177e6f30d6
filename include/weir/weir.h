/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* weir for programs that ask: calls that look blocking and cost no core.
 *
 * In a task of a runtime that weir knows (a oneTBB task in a weir::io_arena, which libweir_tbb.so has, or under `weir run`; an
 * OpenMP task under `weir run`; a task of weir's own pool) a call that would block sets the task aside and the thread takes other
 * tasks; the task may go on on another thread where the runtime moves tasks. Elsewhere, and so in oneTBB's other arenas without
 * `weir run`, the calling thread blocks, as with the call of the same name.
 *
 * Every call returns a value >= 0, or -errno; errno is left alone. No call returns -EINTR. O_NONBLOCK and
 * SO_RCVTIMEO/SO_SNDTIMEO of a descriptor do not matter here: a call waits. Memory handed over belongs to the call until
 * it returns.
 *
 * Hold no lock over these calls, nor over weir_wait(), weir_block() or the wait for a future. A task that is set aside keeps its
 * locks: others of its thread's may want them, and it may unlock them on another thread. Under the preload, which counts the locks
 * of libc, a task that holds one blocks its thread instead. */

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION_STRING "0.1.0"

typedef struct weir_options {
  size_t size;            /* sizeof(weir_options): later versions may add fields at the end */
  int64_t threads;        /* cores that may compute at once; 0: those this process may use */
  int64_t permits;        /* storage calls in flight; 0: the controller finds the number */
  int64_t max_permits;    /* the most it may find; 0: 128 */
  const char *report;     /* where the report goes at weir_close(), or NULL */
} weir_options;

typedef struct weir_statistics {
  size_t size;            /* sizeof(weir_statistics), set by the caller */
  int64_t calls, bytes_read, bytes_written;
  int64_t fast_hits;      /* served without waiting */
  int64_t suspended;      /* tasks set aside */
  int64_t parked;         /* threads blocked */
  int64_t ring_operations;
  int64_t in_flight, peak_in_flight;
  int64_t permits;        /* the limit now */
  int64_t blocked_ns;     /* time calls waited, all together */
} weir_statistics;

/* Starts the engine; NULL: WEIR_* variables and defaults. Idempotent, from any thread, also after fork(). 0 or -errno:
 * -EINVAL for options of no known size or with a number below 0. Without io_uring it succeeds too, and calls block. */
int weir_init(const weir_options *options);

/* Writes the report, if one was asked for. Calls under way go on; a later weir_init() starts anew. Idempotent. 0, always: of
 * a report that can't be written stderr tells. */
int weir_close(void);

const char *weir_version(void);

/* 0, or -EINVAL for a `size` that is none. */
int weir_statistics_get(weir_statistics *into);

ssize_t weir_read(int fd, void *to, size_t bytes);
ssize_t weir_pread(int fd, void *to, size_t bytes, off_t offset);
ssize_t weir_readv(int fd, const struct iovec *parts, int count);
ssize_t weir_write(int fd, const void *from, size_t bytes);
ssize_t weir_pwrite(int fd, const void *from, size_t bytes, off_t offset);
ssize_t weir_recv(int fd, void *to, size_t bytes, int flags);
/* Sends everything, unless an error comes between: then what was sent, if any. */
ssize_t weir_send(int fd, const void *from, size_t bytes, int flags);
ssize_t weir_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t weir_sendmsg(int fd, const struct msghdr *message, int flags);
int weir_accept(int fd, struct sockaddr *peer, socklen_t *peer_bytes, int flags);
int weir_connect(int fd, const struct sockaddr *peer, socklen_t peer_bytes);
/* One descriptor: its revents, or 0 when timeout_ns was over (< 0: no limit). */
int weir_poll(int fd, short events, int64_t timeout_ns);
int weir_fsync(int fd);
int weir_sleep(int64_t ns);

#ifdef __cplusplus
}
#endif
