// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/thread.h"
#include "meter/counters.h"
#include "meter/sites.h"
#include "op/op.h"
#include "wait/errno_state.h"
#include "wait/lane.h"

namespace weir::path {

class Habit;

// What kind of story a call is.
enum class Family : std::uint8_t {
  stream_in,   // waits until fd is readable: recv*, poll, epoll_wait
  stream_out,  // waits until fd takes more: send*
  next,        // read, readv: a stream, or a file at its shared offset; the descriptor tells
  file_at,     // pread and kin: a file at an offset of its own
  put,         // write, writev: a stream, or a file at its shared offset
  put_at,      // pwrite and kin
  direct,      // the ring's own operation does it: accept, connect, fsync, sleep
};
enum class Direction : std::uint8_t { none, in, out };

// One intercepted call while it lasts, in the frame of the libc name that was called.
//
// attempt: the call without blocking. Value or -errno; -EAGAIN: it would block; -EOPNOTSUPP: it cannot tell. What a
//          stream has moved before it would block is kept in `moved`, and attempt and real go on from there.
// real:    the libc call itself, with all the program may expect of it. Value or -errno.
// Both return the result of the whole call, what was moved before included.
struct Call {
  Family family;
  Direction direction = Direction::none;
  bool socket = false;             // fd is one, and its SO_RCVTIMEO or SO_SNDTIMEO holds (by direction; none: RCV)
  wait::Ends ends = wait::Ends::without_restart;  // which signals end it natively (run knows that none does for storage)
  int fd = -1;
  Result (*attempt)(Call&) = nullptr;
  Result (*real)(Call&) = nullptr;
  const void* arguments = nullptr; // the wrapper's own; attempt and real know their type
  std::uint64_t moved = 0;
  std::uint64_t bytes = 0;         // asked for, in all parts together
  const iovec* parts = nullptr;    // next, file_at, put, put_at: the program's memory
  int part_count = 0;
  off_t offset = 0;                // file_at, put_at; next, where it is sought
  bool sought = false;             // next: not at the file's shared offset
  std::uint32_t events = 0;        // stream_in: what to wait for, where it is not simply POLLIN (poll)
  std::int64_t timeout_ns = -1;    // a limit the call itself states (poll, epoll_wait); < 0: none
  Result when_timed_out = -EAGAIN;  // what it returns then
  meter::Caller caller = {};
  std::uint32_t mode = 0;            // what fd is (st_mode) and on which device, where an attempt asked; 0: none did
  std::uint64_t device = 0;
  int status_flags = -1;             // likewise what F_GETFL says of it
  wait::KeptErrno* kept_errno = nullptr;  // around all that run does where the call would block
  bool guess_was_wrong = false;      // that it may wait as long as it takes, and is of a socket
  bool noticed = false;              // the ring calls it ready for notices in its error queue, which are not for this call
  bool anybodys = false;             // any thread may call real(), and it may wait for what somebody else is to do
  Habit* habit = nullptr;            // how long real() takes, where any thread may call it; null: only the caller's own may
  bool works = false;                // real() may be work of the kernel's, as to make a file is: it has a habit, of waits alone
  bool ends_unseen = false;          // others may bring what it waits for into a FILE's buffer, and the descriptor tells nothing of it
  const char* name = nullptr;        // that of a file, where one is asked for by it
  bool can_break_off = false;        // an attempt saw that the descriptor knows reads that must not wait
  // What the ring does. direct: null if there is nothing it could, only a thread can wait; stream_in: null if all of the call is
  // in no one operation.
  const op::Op* operation = nullptr;
};

// Is every thread's every call our business? (WEIR_FORCE=all, for tests.)
extern std::atomic<std::uint32_t> forced;

// Is a task set aside at every call, for a time by chance? (WEIR_DEBUG=suspend-always, for tests.)
extern std::atomic<bool> always_aside;

// Is the calling thread anywhere that its calls are our business? Inline: this is all that an untouched call pays.
inline bool concerns_us() {
  const base::Thread& thread = base::self_unsuspended();
  return (thread.place | forced.load(std::memory_order_relaxed)) && !thread.engine_depth;
}

// The story of one call: fast try -> how can it be waited for -> who is calling -> park or suspend -> result.
// By itself it is attributed to the function that calls run(), and to where that one returns to.
Result run(Call& call, meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)});

// A wait of weir's own in the midst of a call of the program's: as a sleep there would, it sets the task aside or gives the core to
// others. It is no call of the program's, and none of its call sites. A handler ends it.
void wait_a_moment(std::int64_t ns);

// Helpers for attempt functions of `next` and `file_at`: they know how a file tells what is cached.
Result attempt_next(Call& call);
Result attempt_file_at(Call& call);

// Are these bytes of a file in the page cache, as far as its first and last tell? 1: yes; 0: they are past the end; -EAGAIN: no;
// others: can't tell. Moves no offset. `size`: of a regular file, where it is known; else 0.
Result at_hand(int fd, off_t offset, std::uint64_t bytes, off_t size);

// For a call that went straight through: counted, no more. `moved` > 0: bytes read (in) or written (out).
inline void count_in(Result moved) {
  meter::Counters& counters = meter::mine_unsuspended();
  counters.calls.add(1);
  counters.plain.add(1);
  if (moved > 0) counters.bytes_read.add(moved);
}
inline void count_out(Result moved) {
  meter::Counters& counters = meter::mine_unsuspended();
  counters.calls.add(1);
  counters.plain.add(1);
  if (moved > 0) counters.bytes_written.add(moved);
}

// Bytes of a call that is counted already: stdio says only at the end how many came.
inline void add_bytes_in(std::uint64_t bytes) {
  meter::mine_unsuspended().bytes_read.add(static_cast<std::int64_t>(bytes));
}
inline void add_bytes_out(std::uint64_t bytes) {
  meter::mine_unsuspended().bytes_written.add(static_cast<std::int64_t>(bytes));
}

}  // namespace weir::path
