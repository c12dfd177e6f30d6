// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"
#include "lane/rehearsal.h"

namespace weir::team {

// So much each thread may take: with hundreds of them, a gigabyte in all.
constexpr std::uint64_t most_memory = 2 << 20;

// How much memory a call of `name` at `at` takes: 0, none; more than there is, where its arguments can't be read from the code. `code`: what
// is run before it without a jump.
std::uint64_t memory_taken(const char* name, lane::Function code, std::uintptr_t at);

// Calls in a region's own code by which each of its threads takes memory, as much as is known only when the region begins.
class MemoryCalls {
 public:
  // False: there are too many.
  bool add(const char* name, std::uintptr_t at);
  bool any() const { return count_ > 0; }
  // What all of them take together in one thread; more than there is, where that can't be told.
  std::uint64_t taken(std::uintptr_t region, lane::Beginning beginning) const;

 private:
  static constexpr int most = 6;

  struct One {
    std::uintptr_t at;
    std::int8_t bytes_in, times_in;  // registers; times_in -1: none
  };
  One calls_[most] = {};
  int count_ = 0;
};

}  // namespace weir::team
