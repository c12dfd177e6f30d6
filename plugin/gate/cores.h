// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "sys/futex.h"

namespace weir::gate {

// Leave to compute: at most `limit` threads of teams and arenas hold a core slot at once.
// Waiting threads are woken last in, first out: the most recent one has the warmest cache.
//
//   without --take(): slot free---------------------------> holds
//   without --take(): none free--> sleeps --give() by another--> holds
//                                         --timeout-----------> holds, over the limit (counted in over_)
//   holds   --give()-----------------------------------------> without
class Cores {
 public:
  // Returns when the calling thread may compute. False when it waited `timeout_ns` for nothing and goes on over the limit.
  bool take(std::int64_t timeout_ns);
  void give();
  void set_limit(std::int64_t limit);
  std::int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  std::int64_t held() const { return held_.load(std::memory_order_relaxed); }
  void after_fork();

 private:
  struct Sleeper {
    std::atomic<std::uint32_t> called{0};
    Sleeper* below = nullptr;
  };
  bool try_take();
  void call_one_locked();
  void lock();
  void unlock();

  std::atomic<std::int64_t> limit_{1};
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::uint32_t> lock_{0};
  std::atomic<std::int64_t> sleeping_{0};
  Sleeper* top_ = nullptr;  // under lock_
};

}  // namespace weir::gate
