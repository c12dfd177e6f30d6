// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all waits for another thread's or process's doing have in common.
#include "base/thread.h"
#include "path/call.h"
#include "path/handlers.h"

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

// (A wait that has no limit the kernel goes on with after a handler with SA_RESTART; one that has ends for any.)
using path::Handlers;

}  // namespace weir::intercept
