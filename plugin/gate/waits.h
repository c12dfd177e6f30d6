// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::gate {

// How long calls block. One that does so alone, and not for long, is not worth a stand-in: until that one runs, a good part of the
// wait is over, and it has a core when the caller wants one again. The mean is of all threads; until some have told, waits pass for short.
class Waits {
 public:
  static constexpr std::int64_t long_ns = 1'000'000;
  void add(std::int64_t ns) {
    std::int64_t mean = mean_ns_.load(std::memory_order_relaxed);
    mean_ns_.store(mean + ((ns < longest_ns ? ns : longest_ns) - mean) / weight, std::memory_order_relaxed);
  }
  bool are_short() const { return mean_ns_.load(std::memory_order_relaxed) < long_ns; }

 private:
  static constexpr std::int64_t weight = 8;
  static constexpr std::int64_t longest_ns = 4 * long_ns;  // one that says no more than "long"
  std::atomic<std::int64_t> mean_ns_{0};
};

}  // namespace weir::gate
