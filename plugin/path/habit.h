// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::path {

// How long calls of one sort have taken of late, whoever made them. (Of two that end at once one may be lost.)
class Habit {
 public:
  void took(std::int64_t ns) {
    std::int64_t mean = mean_ns_.load(std::memory_order_relaxed);
    mean_ns_.store(mean + (ns - mean) / 8, std::memory_order_relaxed);
  }
  // Longer than it takes to have another thread make one, and the task set aside meanwhile.
  bool is_long() const { return mean_ns_.load(std::memory_order_relaxed) > 50'000; }

 private:
  std::atomic<std::int64_t> mean_ns_{0};
};

// Of opening a file whose name or inode the kernel has not at hand, of opening and of first reading such a folder.
extern Habit opening_files, opening_folders, reading_folders;

}  // namespace weir::path
