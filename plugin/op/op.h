// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

#include "base/list.h"
#include "base/result.h"

namespace weir::op {

// One operation of the ring, as data. What is not used by a kind stays zero.
enum class Kind : std::uint8_t {
  poll,      // until `events` on fd, or timeout_ns: result = the events, or -ETIME
  timeout,   // until timeout_ns is over: result 0
  read,      // fd, buffer, bytes, offset (-1: the descriptor's own)
  write,
  readv,     // fd, parts, count, offset
  writev,
  fsync,     // fd; data_only
  memory,    // until somebody wakes the futex at buffer (shared, as plain FUTEX_WAIT's), while it holds `bytes`
  recv, send, recvmsg, sendmsg, accept, connect  // what the explicit API asks for; see the fields below
};

// Of one of these the descriptor is a socket, or there is an error.
constexpr bool is_of_sockets(Kind kind) { return kind >= Kind::recv; }
// Can it be one of storage? Whether it is costs a system call.
constexpr bool may_be_of_storage(Kind kind) {
  return !is_of_sockets(kind) && kind != Kind::timeout && kind != Kind::memory;
}

struct Op {
  Kind kind = Kind::poll;
  bool data_only = false;         // fsync: fdatasync
  bool clock_realtime = false;    // with absolute: CLOCK_REALTIME
  bool waits_first = false;       // recv: it was just tried, and found nothing
  bool absolute = false;          // timeout_ns is a point of CLOCK_MONOTONIC (or REALTIME), not a span
  int fd = -1;
  std::uint32_t events = 0;       // poll
  int flags = 0;                  // MSG_*, SOCK_*, RWF_*
  void* buffer = nullptr;         // or the iovec array, msghdr, sockaddr
  std::uint64_t bytes = 0;        // or the count of iovecs, or the sockaddr's size
  void* address_bytes = nullptr;  // accept: socklen_t*
  off_t offset = 0;
  std::int64_t timeout_ns = -1;   // < 0: none. With kinds other than timeout: the linked time limit
};

Op poll(int fd, std::uint32_t events, std::int64_t timeout_ns = -1);
Op timeout(std::int64_t ns);
Op read(int fd, void* to, std::uint64_t bytes, off_t offset);
Op write(int fd, const void* from, std::uint64_t bytes, off_t offset);
Op readv(int fd, const iovec* parts, int count, off_t offset);
Op writev(int fd, const iovec* parts, int count, off_t offset);
Op fsync(int fd, bool data_only);
Op of_socket(Kind kind, int socket, const void* buffer, std::uint64_t bytes, int flags);
Op accept(int socket, void* peer, void* peer_bytes, int flags);
Op memory(const unsigned* word, unsigned expected);

// Who is told that an operation is over; called on the thread that reaped it, once. Must not block.
struct Request;
using Done = void (*)(Request&);

// An operation under way: lives in the caller's frame (or future) from submit until `done` was called.
//
//   idle --submit()--> queued --(driver)--> in the kernel --(completion)--> done() called: the caller's again
struct Request : base::Link {
  Op op;
  Result result = 0;
  Done done = nullptr;
  std::int64_t time[2] = {0, 0};  // the kernel's timespec of timeout_ns: must live while the operation does
  bool binds_permit = false;
  bool given_up = false;     // before the ring had it: it ends with -ECANCELED there
  std::uint8_t owed = 0;     // completions to come, by the ring: with a linked limit there are two
  bool unlimited = false;    // the ring's: the kernel lost its limit, and it is to be cancelled
  std::int64_t flew_ns = 0;  // since when it is under way, with its permit; until then, since when it wants to be
  std::int64_t at_once = 0;  // were so many in flight when it wanted to be, with it
  std::int64_t ended_ns = 0; // when the ring heard that it was over; 0: it did not
  std::uint64_t traced = 0;  // in the trace, by the ring
  bool (*may_wait)(const Request&) = nullptr;  // asked on the ring's thread where it waits long; null: it may
  Request* next_doubt = nullptr;               // the ring's, of those with may_wait
  Request** doubted = nullptr;
};

}  // namespace weir::op
