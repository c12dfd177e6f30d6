// SPDX-License-Identifier: Apache-2.0
#include "wait/thread_waiter.h"

#include "base/clock.h"
#include "sys/futex.h"
#include "sys/wakes.h"

namespace weir::wait {

ThreadWaiter::ThreadWaiter() {
  wake = [](weir_waiter* self) {
    auto& word = static_cast<ThreadWaiter*>(self)->woken_;
    word.store(1, std::memory_order_release);
    // The waiter may be gone from here on; a futex wake of an address that is no futex any more is harmless.
    sys::wake_soon(word);
  };
}

bool ThreadWaiter::wait(std::int64_t timeout_ns) {
  std::int64_t end = timeout_ns < 0 ? 0 : base::now_ns() + timeout_ns;
  while (!woken_.load(std::memory_order_acquire)) {
    std::int64_t left = timeout_ns < 0 ? sys::forever : end - base::now_ns();
    if (timeout_ns >= 0 && left <= 0) return false;
    sys::futex_wait(woken_, 0, left);
  }
  return true;
}

const weir_runtime thread_runtime = {
    WEIR_RUNTIME_VERSION,
    "thread",
    [] { return 0; },
    [](weir_start_fn start, void* argument) {
      ThreadWaiter waiter;
      start(argument, &waiter);
      waiter.wait();
      return 0;
    },
    [](std::int32_t) { return 0; },
    nullptr,
};

}  // namespace weir::wait
