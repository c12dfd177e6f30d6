// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"

namespace weir::path {

// How long calls of one sort have taken of late, whoever made them: those that did not give their core away, and so were not kept from
// it either. (Of two that end at once one may be lost. While all are short nothing is written: all threads may read it in peace.)
class Habit {
 public:
  // Of the last `kept` calls or so; one alone counts for no more than `most_ns`: its thread may have lost the core meanwhile.
  constexpr explicit Habit(std::int64_t kept = 8, std::int64_t most_ns = 300'000) : kept_(kept), most_ns_(most_ns) {}
  void took(std::int64_t ns) {
    std::int64_t mean = mean_ns_.load(std::memory_order_relaxed);
    if (mean < is_short_ns && ns < is_short_ns) return;
    if (ns > most_ns_) ns = most_ns_;
    mean_ns_.store(mean + (ns - mean) / kept_, std::memory_order_relaxed);
  }
  // Makes the call, and remembers how long it took.
  template <typename Make>
  auto timed(Make make) {
    std::int64_t began = base::now_ns();
    auto result = make();
    took(base::now_ns() - began);
    return result;
  }
  bool is_short() const { return mean_ns_.load(std::memory_order_relaxed) < is_short_ns; }
  // Longer than it takes to have another thread make one, and the task set aside meanwhile.
  bool is_long() const { return mean_ns_.load(std::memory_order_relaxed) > 50'000; }

 private:
  static constexpr std::int64_t is_short_ns = 20'000;
  const std::int64_t kept_, most_ns_;
  std::atomic<std::int64_t> mean_ns_{0};
};

// Of opening a file, of making or emptying one, of opening a folder, of first reading one that the kernel had not at hand, and of asking
// what a name stands for.
extern Habit opening_files, making_files, opening_folders, reading_folders, asking_names;

}  // namespace weir::path
