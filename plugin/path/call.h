// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/settings.h"
#include "base/thread.h"
#include "meter/counters.h"

namespace weir::path {

// What kind of story a call is.
enum class Family : std::uint8_t {
  stream_in,    // waits until fd is readable: read, recv, accept, epoll_wait ...
  stream_out,   // waits until fd takes more: write, send, connect
  file_at,      // reads a file at an offset of its own: pread
  file_next,    // reads a file at the descriptor's shared offset: read, readv
  file_write,   // writes to a file
  sync,         // fsync, fdatasync
  sleep,        // nanosleep and kin
};

// One intercepted call while it lasts, in the frame of the libc name that was called.
//
// attempt: the call without blocking. Value or -errno; -EAGAIN: it would block; -EOPNOTSUPP: it cannot tell. What a
//          stream has moved before it would block is kept in `moved`, and attempt and real go on from there.
// real:    the libc call itself, with everything the program may expect of it. Value or -errno.
// Both return the result of the whole call, what was moved before included.
struct Call {
  Family family;
  int fd = -1;
  Result (*attempt)(Call&) = nullptr;
  Result (*real)(Call&) = nullptr;
  const void* arguments = nullptr;  // the wrapper's own; attempt and real know their type
  std::uint64_t moved = 0;

  int timeout_option = 0;           // SO_RCVTIMEO, SO_SNDTIMEO, or 0: not a socket call
  std::int64_t timeout_ns = -1;     // a limit the call itself states (poll, epoll_wait); < 0: none
  const iovec* parts = nullptr;     // file_at, file_next: where to
  int part_count = 0;
  off_t offset = 0;                 // file_at
  bool data_only = false;           // sync: fdatasync
  std::int64_t sleep_ns = 0;        // sleep
};

// Runs while the process lives: set once by api/instance.
extern std::atomic<std::uint32_t> forced;  // non-zero: WEIR_FORCE=all

// Is the calling thread anywhere that its calls are our business? Inline: this is all an untouched call pays.
inline bool concerns_us() {
  const base::Thread& thread = base::self_unsuspended();
  return (thread.place | forced.load(std::memory_order_relaxed)) && !thread.engine_depth;
}

// The story of one call: fast try -> who is calling -> gate -> ring or plain -> wait -> result. Value or -errno.
Result run(Call& call);

// For a call that went straight through: counted, no more. `moved` > 0: bytes read (in) or written (out).
inline void count_in(Result moved) {
  meter::Counters& counters = meter::mine();
  counters.calls.add(1);
  counters.plain.add(1);
  if (moved > 0) counters.bytes_read.add(moved);
}
inline void count_out(Result moved) {
  meter::Counters& counters = meter::mine();
  counters.calls.add(1);
  counters.plain.add(1);
  if (moved > 0) counters.bytes_written.add(moved);
}

}  // namespace weir::path
