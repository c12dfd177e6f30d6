// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all waits for another thread's or process's doing have in common.
#include <cerrno>

#include "base/thread.h"
#include "intercept/errno_edge.h"
#include "intercept/slices.h"
#include "path/beside.h"
#include "path/call.h"
#include "path/handlers.h"
#include "sys/file.h"

namespace weir::intercept {

// What `real` returns, an error number or the like: it may be any int.
template <typename F>
int parked(F real, meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  const base::Thread& thread = base::self();  // between two slices its caller may have changed threads
  bool has_slot = thread.holds_core || path::forced.load(std::memory_order_relaxed);
  if (!has_slot || !path::concerns_us()) return real();
  path::Call call{path::Family::direct};  // without an operation: only a thread can wait
  call.arguments = &real;
  call.real = [](path::Call& c) { return static_cast<Result>((*static_cast<const F*>(c.arguments))()); };
  return static_cast<int>(path::run(call, caller));
}

// Likewise, of a call that returns -1 with errno set: its caller may go on on another thread, whose errno it is then.
template <typename F>
int parked_with_errno(F real, meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  return static_cast<int>(deliver(parked([&] { return static_cast<int>(outcome(real())); }, caller)));
}

// A call on a descriptor that goes on until all of it is done: only a thread can wait for that. As libc's, with errno. Where
// others may have to go on on this thread, another one makes it, unless it may raise a signal: that is the caller's to get.
enum class Raises { nothing, sigpipe };
template <typename F>
long as_a_whole(int fd, F real, Raises raises = Raises::nothing, meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  path::Call call{path::Family::direct};
  call.ends = wait::Ends::handled;
  call.fd = fd;
  call.arguments = &real;
  call.real = [](path::Call& c) { return outcome((*static_cast<const F*>(c.arguments))()); };
  Result result;
  if (raises == Raises::nothing && others_may_be_waited_for(caller.address) && path::made_beside(call, &result)) path::count_in(0);
  else result = path::run(call, caller);
  return deliver(result);
}

// What the kernel waits for without any limit, asked for again and again; between the others may go on here. `has(&value)`: is it over, and
// with what. `for_any` of the handlers, or for those without SA_RESTART alone, it ends.
template <typename Has>
int by_asking(Has has, bool for_any, meter::Caller caller) {
  const std::int64_t since = base::now_ns();
  int before = current_errno();
  path::Handlers handlers;
  for (int value = 0; true;) {
    if (has(&value)) {
      if (value >= 0) set_errno(before);
      return value;
    }
    parked([] { return static_cast<int>(sys::sleep_ns(slice_ns / 4)); }, caller);
    path::stand_back_in_wait(since);
    if (!handlers.end_wait(for_any)) continue;
    if (has(&value)) {  // the kernel, too, looks first whether what the handler told of ends the wait
      if (value >= 0) set_errno(before);
      return value;
    }
    set_errno(EINTR);
    return -1;
  }
}

// Likewise for a call that seldom has to wait: it keeps its core while it is only tried.
template <typename Has, typename F>
int tried_first(Has has, F real, bool for_any, meter::Caller caller) {
  if (!path::concerns_us()) return real();
  int before = current_errno();
  int value;
  if (has(&value)) return value;
  set_errno(before);
  return others_may_be_waited_for(caller.address) ? by_asking(has, for_any, caller) : parked_with_errno(real, caller);
}

// (A wait that has no limit the kernel goes on with after a handler with SA_RESTART; one that has ends for any.)
using path::Handlers;

}  // namespace weir::intercept
