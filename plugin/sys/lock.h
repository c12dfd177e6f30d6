// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "sys/futex.h"

namespace weir::sys {

// For a few instructions. Whoever finds it taken spins for about as long as that takes, then sleeps: with more threads
// than cores its holder may have lost its core, and spinning would keep it from getting one.
//
//   0 free --lock()--> 1 taken --lock() by another--> 2 taken, and somebody sleeps --unlock()--> 0, one is woken
class Lock {
 public:
  void lock() {
    for (int i = 0; i < 100; ++i) {
      std::uint32_t free = 0;
      if (word_.compare_exchange_weak(free, 1, std::memory_order_acquire)) return;
      __builtin_ia32_pause();
    }
    while (word_.exchange(2, std::memory_order_acquire)) futex_wait(word_, 2);
  }
  // False: it could not be had in so long. For who may be a signal handler on the very thread that has it.
  bool lock_within(std::int64_t ns) {
    constexpr std::int64_t slice_ns = 1'000'000;
    bool taken = try_lock();
    for (; !taken && ns > 0; ns -= slice_ns) {
      if ((taken = word_.exchange(2, std::memory_order_acquire) == 0)) break;
      futex_wait(word_, 2, slice_ns);
    }
    return taken;
  }
  bool try_lock() {
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  void unlock() {
    if (word_.exchange(0, std::memory_order_release) == 2) futex_wake(word_);
  }
  void after_fork() { word_.store(0); }

 private:
  std::atomic<std::uint32_t> word_{0};
};

using LockScope = std::lock_guard<Lock>;

}  // namespace weir::sys
