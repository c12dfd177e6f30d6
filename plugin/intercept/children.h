// SPDX-License-Identifier: Apache-2.0
#pragma once

// A wait for child processes as libc has it, with the core kept. Nothing of it is hidden, but the account has it, as any other call.
#include <atomic>

#include "meter/sites.h"
#include "meter/trace.h"
#include "path/call.h"
#include "wait/lane.h"

namespace weir::intercept {

class ChildWait {
 public:
  explicit ChildWait(meter::Caller caller);
  void is_over() const;  // no destructor: who breaks out of it takes no notice of us

 private:
  meter::Caller caller_;
  std::int64_t began_ns_;
  meter::Traced traced_;
};

template <typename F>
[[gnu::noinline]] int counted_wait_for_child(F real, meter::Caller caller) {
  ChildWait wait(caller);
  int value = real();
  wait.is_over();
  return value;
}

// errno is `real`'s. A thread that is cancelled in it is to leave no frame of ours: some of libc's names don't throw.
template <typename F>
int wait_for_child(F real, meter::Caller caller) {
  if (!path::concerns_us() || wait::policy.cancellable.load(std::memory_order_relaxed)) return real();
  return counted_wait_for_child(real, caller);
}

}  // namespace weir::intercept
