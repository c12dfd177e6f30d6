// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::gate {

// How long threads compute between one call that blocks and the next. Where that is less than the kernel's time slice,
// a thread that comes back from such a call need not wait for a core: the kernel passes cores from one to the next without
// breaking such a piece off, and a sleep and a wake more at each call cost more than they bring. The mean is of all threads, and
// follows a change within some hundred calls; until a few have told, pieces pass for long: many threads that begin at once, with what
// they read at the same time, would get in each other's way.
class Pieces {
 public:
  void add(std::int64_t ns) {
    std::int64_t mean = mean_ns_.load(std::memory_order_relaxed);
    mean_ns_.store(mean + ((ns < longest_ns ? ns : longest_ns) - mean) / weight, std::memory_order_relaxed);
  }
  bool are_short() const { return mean_ns_.load(std::memory_order_relaxed) < short_ns_.load(std::memory_order_relaxed); }
  // Whatever they take: the user said how many may compute.
  void are_all_long(bool all = true) { short_ns_.store(all ? 0 : shorter_than_ns); }
  bool count_as_long() const { return short_ns_.load(std::memory_order_relaxed) == 0; }

 private:
  static constexpr std::int64_t weight = 64;
  static constexpr std::int64_t longest_ns = 10'000'000;  // one that says no more than "long"
  static constexpr std::int64_t shorter_than_ns = 3'000'000;
  std::atomic<std::int64_t> short_ns_{shorter_than_ns};
  std::atomic<std::int64_t> mean_ns_{4'000'000};
};

}  // namespace weir::gate
