// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all waits for another thread's or process's doing have in common.
#include <time.h>

#include <cstdint>

#include "base/thread.h"
#include "path/call.h"

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

// The handlers that run on the thread while it waits, were it between two slices. (A task that goes on on another thread begins
// anew there.)
class Handlers {
 public:
  // Would the kernel have ended the wait for them? One that has no limit it goes on with after a handler with SA_RESTART.
  bool end_wait(const timespec* until);

 private:
  const base::Thread* thread_ = &base::self();
  std::uint32_t run_ = thread_->handlers_run, ended_ = thread_->waits_ended;
};

}  // namespace weir::intercept
