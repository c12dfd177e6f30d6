// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "weir/runtime.h"

namespace weir::wait {

// The waiter of a caller that has no task to set aside: the thread itself sleeps on a futex.
//
//   0 asleep --wake()--> 1 woken     release: what the waker wrote is seen by wait()'s acquire
class ThreadWaiter : public weir_waiter {
 public:
  ThreadWaiter();
  // Returns when woken, or after timeout_ns (< 0: never): was it woken?
  bool wait(std::int64_t timeout_ns = -1);

 private:
  std::atomic<std::uint32_t> woken_{0};
};

// The runtime of plain threads: suspend() is start, then sleep.
extern const weir_runtime thread_runtime;

}  // namespace weir::wait
