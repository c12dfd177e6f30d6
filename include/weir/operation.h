/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* I/O futures in C: start an operation, do something else, ask for the result when it is wanted. Waiting sets the
 * calling task aside (see weir.h); any thread may wait.
 *
 *   weir_start_*  -->  under way  --weir_wait()--------> result, and the operation is released
 *                                 --weir_on_complete()-> fn(arg, result) on weir's driver thread, then released
 *                                 --weir_drop()--------> cancelled, and released when the kernel is done with it
 *
 * Each operation is ended by exactly one of these three. Memory handed over belongs to the operation until then: wait
 * and drop return, and fn is called, only when the kernel does not touch it any more. */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_operation weir_operation;
typedef void (*weir_completion_fn)(void *arg, ssize_t result);

/* Each: 0 and *op set, or -errno (ENOMEM, EINVAL) and nothing started. offset -1: the descriptor has none, a stream. */
int weir_start_read(weir_operation **op, int fd, void *to, size_t bytes, off_t offset);
int weir_start_write(weir_operation **op, int fd, const void *from, size_t bytes, off_t offset);
int weir_start_recv(weir_operation **op, int fd, void *to, size_t bytes, int flags);
int weir_start_send(weir_operation **op, int fd, const void *from, size_t bytes, int flags);
int weir_start_accept(weir_operation **op, int fd, struct sockaddr *peer, socklen_t *peer_bytes, int flags);
int weir_start_connect(weir_operation **op, int fd, const struct sockaddr *peer, socklen_t peer_bytes);
int weir_start_poll(weir_operation **op, int fd, short events);
int weir_start_fsync(weir_operation **op, int fd);
int weir_start_sleep(weir_operation **op, int64_t ns);

/* A sleep that calls ring(arg) on weir's driver thread when its time is over, not when it was cancelled before. To be
 * ended like any other operation: after that ring() is not running and will not be called. */
int weir_start_alarm(weir_operation **op, int64_t ns, void (*ring)(void *arg), void *arg);

/* The result: value or -errno, -ECANCELED after a cancel that was in time, and in a fork's child, whose parent's it was. */
ssize_t weir_wait(weir_operation *op);

/* The same, but cancelled when `ns` are over first: -ETIMEDOUT then. (Where there is no io_uring, files
 * are waited for to their end.) */
ssize_t weir_wait_within(weir_operation *op, int64_t ns);

/* 1 when it is over, *result set; else 0. Never waits; the operation is not released. */
int weir_test(weir_operation *op, ssize_t *result);

/* Asks for an early end. The result may be -ECANCELED, or that of an operation that was faster. */
void weir_cancel(weir_operation *op);

/* Calls fn once the operation is over: on weir's driver thread, or here and now when it is over already. fn must not
 * block; it may start operations, spawn tasks and wake others. No exception may leave it: that ends the process. */
void weir_on_complete(weir_operation *op, weir_completion_fn fn, void *arg);

/* Cancels, and returns when the kernel is done with the memory. */
void weir_drop(weir_operation *op);

#ifdef __cplusplus
}
#endif
