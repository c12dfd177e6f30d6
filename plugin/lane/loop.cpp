// SPDX-License-Identifier: Apache-2.0
#include "lane/loop.h"

#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::lane {
namespace {

class Loop {
 public:
  Loop(Function function, const Flow& flow, const Flow::Blocks& blocks) : function_(function), places_(function), flow_(flow), blocks_(blocks) {}

  bool ends_by_count() const {
    for (int block = 0; block < flow_.count(); ++block) {
      if (has(block) && leaves(block) && compares_counter(flow_.code_of(block))) return true;
    }
    return false;
  }

 private:
  static constexpr int most_hops = 8;

  bool has(int block) const { return block >= 0 && blocks_[static_cast<std::size_t>(block)]; }

  // One of two ways on does.
  bool leaves(int block) const {
    int on = flow_.next(block, 0), to = flow_.next(block, 1);
    return on >= 0 && to >= 0 && has(on) != has(to);
  }

  // fn(address, instruction, operands) for each of a block's instructions.
  template <typename Fn>
  void each_of(Function code, Fn fn) const {
    for (std::uintptr_t at = code.begin; at < code.end;) {
      Operands o = read_operands(bytes_at(at), bytes_at(function_.end));
      Instruction i = read_instruction(bytes_at(at), bytes_at(function_.end));
      if (!o.length) return;
      fn(at, i, o);
      at += o.length;
    }
  }
  template <typename Fn>
  void each(Fn fn) const {
    for (int block = 0; block < flow_.count(); ++block) {
      if (has(block)) each_of(flow_.code_of(block), fn);
    }
  }

  // What its last jump looks at.
  bool compares_counter(Function block) const {
    std::uintptr_t compared_at = 0;
    Operands compared;
    each_of(block, [&](std::uintptr_t at, const Instruction&, const Operands& o) {
      if (sets_flags(o)) compared = o, compared_at = at;
    });
    if (!compared_at) return false;
    for (const Place& place : places_.compared_by(compared).places) {
      bool steps = place && places_.change(place, {}, compared).what == Change::step;
      if (place && (steps || counts(place, compared_at))) return true;
    }
    return false;
  }

  // What is in `place` at `at` moves in steps: itself, or what it was made of.
  bool counts(Place place, std::uintptr_t at) const {
    for (int hop = 0; hop < most_hops; ++hop) {
      if (only_steps(place)) return true;
      auto [made_at, change] = last_change(place, at);
      if (!made_at || change.what == Change::other) return false;
      // The sum of one that moves and one that does not; which of them, is not said.
      if (change.what == Change::copy) place = change.by && stays(change.from) ? change.by : change.from;
      at = made_at;
    }
    return false;
  }

  struct Made {
    std::uintptr_t at = 0;
    Change change{};
  };
  // Before `at` in this pass, else in the one before: as the code lies.
  Made last_change(const Place& place, std::uintptr_t before) const {
    Made earlier, last;
    each([&](std::uintptr_t at, const Instruction& i, const Operands& o) {
      Change change = places_.change(place, i, o);
      if (change.what != Change::nothing) (at < before ? earlier : last) = {at, change};
    });
    return earlier.at ? earlier : last;
  }
  bool stays(const Place& place) const { return !last_change(place, 0).at; }

  bool only_steps(const Place& place) const {
    bool steps = false, others = false;
    each([&](std::uintptr_t at, const Instruction& i, const Operands& o) {
      if (others) return;
      Change change = places_.change(place, i, o);
      Change::What what = change.what == Change::copy ? made_of_itself(place, change, at) : change.what;
      steps |= what == Change::step;
      others |= what == Change::other || (change.by && !stays(change.by));
    });
    return steps && !others;
  }

  // What is copied to `place` at `at` was made of itself: in steps, or is the same.
  Change::What made_of_itself(const Place& place, Change change, std::uintptr_t at) const {
    bool moved = false;
    Place from = place;
    for (int hop = 0; hop < most_hops; ++hop) {
      moved |= change.what == Change::step || change.moved || change.by;
      if (change.by && !stays(change.by)) break;
      if (change.what == Change::copy) from = change.from;
      if (from == place) return moved ? Change::step : Change::nothing;
      auto [made_at, made] = last_change(from, at);
      if (!made_at || made.what == Change::other) break;
      change = made;
      at = made_at;
    }
    return Change::other;
  }

  Function function_;
  Places places_;
  const Flow& flow_;
  const Flow::Blocks& blocks_;
};

}  // namespace

LoopEnd end_of_loop_around(Function function, std::uintptr_t at) {
  Flow flow(function);
  if (!flow.fits()) return LoopEnd::by_count;
  Flow::Blocks blocks = flow.loop_around(flow.block_at(at));
  if (blocks.none()) return LoopEnd::no_loop;
  return Loop(function, flow, blocks).ends_by_count() ? LoopEnd::by_count : LoopEnd::by_what_it_finds;
}

bool takes_number(const std::uint8_t* at, const std::uint8_t* end) {
  // Before its opcode, which is looked for first, stand prefixes at most.
  const std::uint8_t* byte = at;
  while (byte < end && (is_old_prefix(*byte) || is_rex(*byte))) ++byte;
  if (end - byte < 2 || byte[0] != 0x0f || (byte[1] & 0xfe) != 0xc0) return false;
  Operands o = read_operands(at, end);
  return o.length && !o.vector && o.in_memory && o.map == 1 && (o.opcode == 0xc0 || o.opcode == 0xc1);
}

}  // namespace weir::lane
