/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Messages over any connected stream socket, both ends with this library. A call registers a transfer and returns an id
 * at once; what stands before weir_msync(id) overlaps with the transfer. docs/messages.md tells it as a story.
 *
 *   weir_msg_send/recv --> id, under way --weir_mcont(id, fn, arg)--> fn runs when it has left, or has arrived
 *                                        --weir_msync(id)-----------> result, and the id is no more
 *                                        --weir_mrelease(id)--------> the same without waiting
 *
 * The n-th message sent on a link is received by the n-th receive of the other end. Each id is ended by exactly one msync
 * or release. Memory handed over belongs to the transfer until its result is there; msync brings it, and fn. A process
 * with a link must not fork and go on using it: in the child every id of before is over with -ENOTCONN. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "weir/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_link weir_link;
typedef struct weir_stream weir_stream;
typedef int64_t weir_message; /* > 0; else -errno, and nothing was registered */

typedef struct weir_link_options {
  size_t size;        /* sizeof(weir_link_options): later versions may add fields at the end */
  int64_t silence_ns; /* a transfer waits and nothing moved nor did the peer's weir answer for so long: the link is
                         broken, with -ETIMEDOUT. 0: 30 s */
} weir_link_options;

/* Puts a link onto a connected stream socket; options may be NULL. The descriptor stays the caller's, who may close it at
 * once but must not read or write it. 0 or -errno: -ENOTSOCK, -EPROTOTYPE (no stream), -ENOTCONN, -EINVAL, -ENOMEM. */
int weir_link_open(weir_link **link, int fd, const weir_link_options *options);

/* Ends the link: transfers under way end with -ECANCELED, what has left before still arrives, the connection is shut
 * down. Waits for the peer to hear of it, at most silence_ns. Not from a continuation. Ids stay to be ended. */
void weir_link_close(weir_link *link);

/* `bytes` may be 0. On a broken link: why it broke (-ECONNRESET, -EPIPE: the peer closed, -EPROTO, -ETIMEDOUT ...).
 * Result: the bytes that moved, or -errno; -EMSGSIZE where a message is larger than the receiver's memory. */
weir_message weir_msg_send(weir_link *link, const void *from, size_t bytes);
weir_message weir_msg_recv(weir_link *link, void *to, size_t bytes);

/* The same, with a function that writes the message to a stream, or reads it from one: it runs as a task of weir's pool
 * while the transfer is under way, with never more than 64 KiB between the two, moved in fragments of 4 KiB. It returns
 * 0, or -errno, which then is the result at both ends. What a reader leaves unread is skipped. No exception may leave it: that
 * ends the process. */
typedef int (*weir_stream_fn)(weir_stream *stream, void *arg);
weir_message weir_msg_send_by(weir_link *link, weir_stream_fn marshal, void *arg);
weir_message weir_msg_recv_by(weir_link *link, weir_stream_fn unmarshal, void *arg);

/* From the function alone. put: 0, or -errno when the transfer is over: the function should return. get: `bytes`, fewer
 * where the message ends, or -errno. */
int weir_stream_put(weir_stream *stream, const void *from, size_t bytes);
ssize_t weir_stream_get(weir_stream *stream, void *to, size_t bytes);

/* Which message of its link and direction it is: 0, 1, 2 ... -EINVAL: no such id. */
int64_t weir_msg_sequence(weir_message id);

/* Waits; the result; the id is no more. -EINVAL: no such id, or ended before. The calling task is set aside. */
ssize_t weir_msync(weir_message id);

/* The same, at most `ns`: -ETIMEDOUT then, and the transfer goes on and the id stays. */
ssize_t weir_msync_within(weir_message id, int64_t ns);

/* 1 when it is over, *result set; else 0; -EINVAL. Never waits. */
int weir_mtest(weir_message id, ssize_t *result);

/* fn(arg, result) the moment the message has left or has arrived: on weir's driver thread, or where weir_mcancel or
 * weir_link_close ends it, or here and now when it is over already. Once an id. fn must not block; it may register
 * transfers, spawn tasks and wake others. No exception may leave it. 0, or -EINVAL. */
int weir_mcont(weir_message id, weir_completion_fn fn, void *arg);

/* Asks for an early end: the result is -ECANCELED at both ends, or what was faster. 0, or -EINVAL. */
int weir_mcancel(weir_message id);

/* Ends the id now; the transfer goes on, and its continuation will run. 0, or -EINVAL. */
int weir_mrelease(weir_message id);

#ifdef __cplusplus
}
#endif
