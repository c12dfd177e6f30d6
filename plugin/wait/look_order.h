// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "meter/counters.h"

namespace weir::wait {

// Those who stand back, since they spin, in the order in which they began to spin: a number each, the next one higher. Of a lock
// that is given to who came first, it is the oldest that gets it next. Of more than `numbers` the eldest are mistaken for others.
class LookOrder {
 public:
  static constexpr std::uint64_t numbers = 8192;
  struct Place {
    std::int64_t older;    // so many that stand back began to spin before,
    std::int64_t company;  // of so many, oneself among them
  };

  std::uint64_t next_number() { return next_.fetch_add(1, std::memory_order_relaxed); }
  // Stands back from now on.
  Place joins(std::uint64_t number);
  void leaves(std::uint64_t number);
  std::int64_t company() const { return company_.load(std::memory_order_relaxed); }
  // Who stood back holds up a thread while it looks, if it waits there for a moment. So long it may: all of them together no longer than
  // one would by itself, but each at least so long.
  std::int64_t share_of(std::int64_t ns, std::int64_t least_ns) const { return std::max(ns / (1 + company()), std::min(ns, least_ns)); }
  void after_fork();  // who stood back is not here

 private:
  static constexpr std::uint64_t in_word = 64, words = numbers / in_word;
  static std::uint64_t bit(std::uint64_t number) { return std::uint64_t{1} << number % in_word; }
  std::atomic<std::uint64_t>& word(std::uint64_t number) { return stand_back_[number / in_word % words]; }

  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::int64_t> company_{0};
  std::atomic<std::uint64_t> stand_back_[words] = {};
};
extern LookOrder look_order;

// Where no other tasks are set aside, what one spins for is held by a task that has a thread, or will be: it has more patience then.
inline bool nobody_holds_aside() { return meter::gauges.aside.load(std::memory_order_relaxed) <= look_order.company(); }

}  // namespace weir::wait
