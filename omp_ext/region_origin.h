// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/flow.h"
#include "lane/object.h"
#include "lane/place.h"

namespace weir::team {

// What stands in a place before an instruction, or at the end of a block, is part of what is added to a sum.
struct Wanted {
  lane::Place place;
  int block;
  std::uintptr_t before;
};

struct OriginRoom;

// Where that comes from, through the registers and the frame of one function. Beside loops that are `shared`, whatever but 0 and what those
// loops left is a thread's own. When in doubt, it is.
class Origins {
 public:
  // What this needs is the process's, for the thread that forks may have a small stack. False where another thread is at it for long.
  static bool take_room();
  static void leave_room();

  // is_called: by one that has Origins of its own; its arguments are the caller's to tell.
  enum class Sought { own, counts };
  Origins(const lane::Object& object, lane::Function function, const lane::Flow& flow, const lane::Flow::Blocks& shared, bool is_called,
          Sought sought = Sought::own);

  void follow(const Wanted& first);
  bool own() const { return own_; }
  bool counted() const { return counted_; }  // where that is sought: it comes from what a shared loop adds up
  unsigned arguments() const { return arguments_; }  // that it came from, a bit for each
  bool has_time() { return ++looked_at_ < most_looked_at; }  // to read more would take longer than it is worth

 private:
  void find_before();
  void want(const Wanted& more);
  void go_back(Wanted wanted);
  void to_begin(const lane::Place& place, int block);
  bool is_zero_from(int before, const lane::Place& place, int block) const;
  bool over(std::uintptr_t at, Wanted& wanted);
  bool over_step(const lane::Change& change, const Wanted& wanted, std::uintptr_t at);
  bool over_copy(const lane::Change& change, Wanted& wanted, std::uintptr_t at, bool shared);
  bool over_other(const lane::Instruction& i, const lane::Operands& o, Wanted& wanted, std::uintptr_t at);
  bool by_vector(const lane::Operands& o, const Wanted& wanted, std::uintptr_t at);
  bool gives_memory(const lane::Instruction& i) const;
  bool is_new(const lane::Place& place, int block);

  static constexpr int most_looked_at = 50'000;

  const lane::Object& object_;
  const lane::Flow& flow_;
  const lane::Flow::Blocks& shared_;
  lane::Places places_;
  OriginRoom& room_;
  bool is_done() const { return sought_ == Sought::counts ? counted_ || looked_at_ >= most_looked_at : own_; }

  bool is_called_, own_ = false, counted_ = false;
  Sought sought_;
  int count_ = 0, places_seen_ = 0;  // of what the room holds
  unsigned arguments_ = 0;
  int looked_at_ = 0;
};

}  // namespace weir::team
