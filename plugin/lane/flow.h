// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// Where control goes within one function: its stretches of code that are run from begin to end, and what follows each.
class Flow {
 public:
  static constexpr int most = 512;
  using Blocks = std::bitset<most>;

  explicit Flow(Function function);
  bool fits() const { return count_ > 0; }  // else there is more of it than is read
  int count() const { return count_; }
  int block_at(std::uintptr_t address) const;
  Function code_of(int block) const { return {begins_[block], block + 1 < count_ ? begins_[block + 1] : end_}; }
  int next(int block, int which) const { return next_[block][which]; }  // of two; -1: none

  // The blocks of the innermost loop that the block is part of; none: of no loop.
  Blocks loop_around(int block) const { return loop_around(block, reached_); }

 private:
  static constexpr std::uintptr_t most_bytes = 16 * 1024;

  void find_blocks(Function function);
  void find_next(Function function, int block);
  bool goes_to(int block, const Blocks& any) const;
  Blocks reached_from(int block, const Blocks& among) const;
  Blocks that_reach(int block, const Blocks& among) const;
  Blocks loop_around(int block, const Blocks& among) const;
  Blocks entered(const Blocks& loop) const;

  int count_ = 0;
  std::uintptr_t end_ = 0;
  std::uintptr_t begins_[most];
  std::int16_t next_[most][2];
  Blocks reached_;  // from the function's begin
};

}  // namespace weir::lane
