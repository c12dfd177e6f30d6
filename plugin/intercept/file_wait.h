// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>

#include "path/call.h"

// stdio's input never passes the names of read: libc calls its inner ones, and holds the FILE's lock meanwhile. So its
// entry points are met here: when the buffer is empty, wait until the descriptor is ready, or the file's next part
// cached, and only then let libc run, whole, as one call that is not set aside.
namespace weir::intercept {

// How much of a stream a call of stdio reads, where it may be more than libc finds by one read.
struct Reads {
  std::size_t bytes;    // about to be read, as far as the caller says
  int until = one;      // up to this byte at the least, or:
  static constexpr int one = -1, all = -2;  // by one read; so many bytes
};

// One call of stdio while it lasts: `body` calls libc and keeps what that returns.
struct FileCall {
  static constexpr off_t at_offset = -1;

  FILE* file;
  Reads reads;
  void (*body)(FileCall& call);
  void* arguments;
  off_t at = at_offset;           // where in the file it reads
  bool ran = false;
  meter::Caller caller = {};
  int error = 0;                  // errno as libc left it, when it changed it
};

// Would libc have to read from the descriptor to give `bytes`? True only where waiting for the descriptor is what libc
// would do. (It looks without the FILE's lock: when two use one FILE at once, a wrong guess costs speed.)
bool wants_more(const FILE* file, std::size_t bytes);

// The part of the file that libc reads in order to seek: where the place lies beyond what is in the FILE's buffer, the block that it
// lies in. No bytes: it reads none. (Looked at without the lock, too.)
struct Block {
  off_t at = 0;
  std::size_t bytes = 0;
};
Block read_to_seek(const FILE* file, off_t by, int from);

// Runs call.body, after waiting for what it will read.
void wait_and_run(FileCall& call);

// The wrapper's body in one place: counts, passes through or waits, and returns what `real(arguments...)` returns.
template <typename R, typename F, typename... A>
inline R input_for(meter::Caller caller, FILE* file, Reads reads, const F& real, A... arguments) {
  if (!path::concerns_us()) {
    path::count_in(0);
    return real(arguments...);
  }
  R result{};
  auto body = [&] { result = real(arguments...); };
  FileCall call{file, reads, [](FileCall& c) { (*static_cast<decltype(body)*>(c.arguments))(); }, &body};
  call.caller = caller;
  wait_and_run(call);
  return result;
}

// Likewise, for whoever called the function that this is a part of.
template <typename R, typename F, typename... A>
[[gnu::always_inline]] inline R input(FILE* file, Reads reads, const F& real, A... arguments) {
  return input_for<R>({real.name, __builtin_return_address(0)}, file, reads, real, arguments...);
}

// Output goes to libc's buffer, or a file's; it is not waited for. But what libc calls in turn (fopencookie) must know
// that the FILE is locked.
template <typename R, typename F, typename... A>
inline R output(const F& real, A... arguments) {
  path::count_out(0);
  if (!path::concerns_us()) return real(arguments...);
  ++base::self().lock_depth;
  R result = real(arguments...);
  --base::self().lock_depth;
  return result;
}

}  // namespace weir::intercept
