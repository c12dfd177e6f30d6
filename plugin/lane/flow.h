// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// Where control goes within one function: its stretches of code that are run from begin to end, and what follows each.
class Flow {
 public:
  static constexpr int most = 1024;
  using Blocks = std::bitset<most>;

  explicit Flow(Function function);
  bool fits() const { return count_ > 0; }  // else there is more of it than is read
  int count() const { return count_; }
  int block_at(std::uintptr_t address) const;
  Function code_of(int block) const { return {begins_[block], block + 1 < count_ ? begins_[block + 1] : end_}; }
  int next(int block, int which) const { return next_[block][which]; }  // of two; -1: none

  // Told by who knows more: control does not go on that way (0, 1), or not beyond a call in the block that never returns.
  void cut(int block, int which) { next_[block][which] = -1; }
  void ends_in(int block);

  // Looked for then: loops, and of the ways from the begin to a return, or to another function's begin: one leads through the block; all do.
  void find_ways();
  bool may_pass(int block) const { return passed_[static_cast<std::size_t>(block)]; }
  bool always_passes(int block) const { return may_pass(block) && all_pass(only(block)); }
  bool all_pass(const Blocks& one_of) const;  // each leads through one of these

  // What comes after a block, up to and with the first of `ends` on each way.
  Blocks after(int block, const Blocks& ends) const { return reached_from(block, ~Blocks(), ends); }

  bool is_in_loop(int block) const { return looped_[static_cast<std::size_t>(block)]; }
  // The blocks of the innermost loop that the block is part of; none: of no loop.
  Blocks loop_around(int block) const { return loop_around(block, reached_); }

 private:
  static Blocks only(int block) {
    Blocks one;
    one[static_cast<std::size_t>(block)] = true;
    return one;
  }
  static constexpr std::uintptr_t most_bytes = 32 * 1024;

  void find_blocks(Function function);
  void find_next(Function function, int block);
  static constexpr int none_left = -2;
  int way_of(int block, int which) const;
  void find_loops();
  bool goes_to(int block, const Blocks& any) const;
  Blocks reached_from(int block, const Blocks& among, const Blocks& ends = {}) const;
  Blocks from_begin() const { return reached_from(0, ~Blocks()) | Blocks(1); }
  void find_ways_of_switch();
  Blocks that_reach(Blocks reach, const Blocks& among) const;
  Blocks loop_around(int block, const Blocks& among) const;
  Blocks entered(const Blocks& loop) const;

  int count_ = 0;
  Blocks by_table_;   // where a switch goes on by its table,
  Blocks of_switch_;  // to any of these: nothing else leads to them
  std::uintptr_t end_ = 0;
  std::uintptr_t begins_[most];
  std::int16_t next_[most][2];
  Blocks leaves_;   // the function: by a return, or to another
  Blocks reached_;  // from the function's begin
  Blocks looped_;   // of those, the ones that control may come back to
  Blocks passed_;   // on the way from there to where it is left
};

}  // namespace weir::lane
