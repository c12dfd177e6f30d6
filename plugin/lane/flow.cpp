// SPDX-License-Identifier: Apache-2.0
#include "lane/flow.h"

#include <algorithm>

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// How an instruction goes on.
struct Step {
  std::uintptr_t next = 0;    // behind it
  std::uintptr_t target = 0;  // of a jump within the function
  bool jumps = false, falls_through = true;
  bool leaves = false;  // the function
  bool by_table = false;
};

Step step_at(Function function, std::uintptr_t at) {
  auto [i, o] = read_both(bytes_at(at), bytes_at(function.end));
  Step step{at + (i.length ? i.length : 1)};
  bool plain = o.map == 0 && !o.vector;
  step.jumps = i.kind == Instruction::jump;
  if (step.jumps && function.holds(i.target)) step.target = i.target;
  bool returns = plain && (o.opcode == 0xc3 || o.opcode == 0xc2), traps = o.map == 1 && !o.vector && o.opcode == 0x0b;
  bool always = step.jumps && plain && (o.opcode == 0xe9 || o.opcode == 0xeb);
  step.falls_through = !returns && !traps && !always;
  step.by_table = i.kind == Instruction::jump_unknown;
  bool by_slot = i.kind == Instruction::call_slot && (o.first & 7) == 4;  // a jump to another function's begin
  step.falls_through &= !step.by_table && !by_slot;
  step.jumps |= !step.falls_through;
  step.leaves = returns || by_slot || (always && !step.target);
  return step;
}

}  // namespace

Flow::Flow(Function function) {
  if (function.end - function.begin > most_bytes) return;
  find_blocks(function);
  for (int i = 0; i < count_; ++i) find_next(function, i);
  if (by_table_.any()) find_ways_of_switch();
  if (!count_) return;
  reached_ = from_begin();
  find_loops();
}

void Flow::ends_in(int block) {
  next_[block][0] = next_[block][1] = -1;
  leaves_[static_cast<std::size_t>(block)] = false;
}

void Flow::find_ways() {
  reached_ = from_begin();
  passed_ = that_reach(reached_ & leaves_, reached_);
  find_loops();
}

// All at once, by Tarjan's search for what is strongly connected; on a path of our own, for a thread may have little stack.
void Flow::find_loops() {
  std::int16_t number[most] = {}, lowest[most] = {}, tried[most] = {}, path[most], open[most];
  int numbered = 0, deep = 0, opened = 0;
  Blocks is_open;
  looped_.reset();
  auto enter = [&](int block) {
    number[block] = lowest[block] = static_cast<std::int16_t>(++numbered);
    open[opened++] = path[deep++] = static_cast<std::int16_t>(block);
    is_open[static_cast<std::size_t>(block)] = true;
  };
  auto lower = [&](int block, std::int16_t to) { lowest[block] = std::min(lowest[block], to); };
  auto leave = [&](int block) {
    if (--deep) lower(path[deep - 1], lowest[block]);
    if (lowest[block] != number[block]) return;
    bool alone = open[opened - 1] == block;
    for (int other = -1; other != block;) {
      other = open[--opened];
      is_open[static_cast<std::size_t>(other)] = false;
      if (!alone) looped_[static_cast<std::size_t>(other)] = true;
    }
  };
  for (enter(0); deep;) {
    int block = path[deep - 1], to = tried[block] < 2 + count_ ? way_of(block, tried[block]++) : none_left;
    if (to == none_left) leave(block);
    else if (to >= 0 && !number[to]) enter(to);
    else if (to >= 0 && is_open[static_cast<std::size_t>(to)]) lower(block, number[to]);
    if (to == block) looped_[static_cast<std::size_t>(block)] = true;
  }
}

// The first two, and a switch's.
int Flow::way_of(int block, int which) const {
  if (which < 2) return next_[block][which];
  if (!by_table_[static_cast<std::size_t>(block)]) return none_left;
  return of_switch_[static_cast<std::size_t>(which - 2)] ? which - 2 : -1;
}

bool Flow::all_pass(const Blocks& one_of) const {
  if (!may_pass(0)) return false;
  if (one_of[0]) return true;
  Blocks around = (after(0, one_of) | only(0)) & ~one_of;
  return (around & leaves_).none();
}

void Flow::find_blocks(Function function) {
  end_ = function.end;
  // Found in any order, and twice; sorted when full, and at the end.
  std::uintptr_t found[2 * most];
  int count = 0;
  auto sort = [&] {
    std::sort(found, found + count);
    count = static_cast<int>(std::unique(found, found + count) - found);
  };
  found[count++] = function.begin;
  for (std::uintptr_t at = function.begin; at < function.end;) {
    Step step = step_at(function, at);
    if (count + 2 > 2 * most) sort();
    if (count + 2 > 2 * most) return;
    if (step.jumps && step.next < function.end) found[count++] = step.next;
    if (step.target) found[count++] = step.target;
    at = step.next;
  }
  sort();
  if (count > most) return;
  std::copy(found, found + count, begins_);
  count_ = count;
}

void Flow::find_next(Function function, int block) {
  Function code = code_of(block);
  Step last;
  for (std::uintptr_t at = code.begin; at < code.end; at = last.next) last = step_at(function, at);
  next_[block][0] = static_cast<std::int16_t>(last.falls_through && block + 1 < count_ ? block + 1 : -1);
  next_[block][1] = static_cast<std::int16_t>(last.target ? block_at(last.target) : -1);
  leaves_[static_cast<std::size_t>(block)] = last.leaves;
  by_table_[static_cast<std::size_t>(block)] = last.by_table;
}

int Flow::block_at(std::uintptr_t address) const {
  return static_cast<int>(std::upper_bound(begins_, begins_ + count_, address) - begins_) - 1;
}

void Flow::find_ways_of_switch() {
  Blocks led_to = only(0);
  for (int i = 0; i < count_; ++i) {
    for (int next : next_[i]) {
      if (next >= 0) led_to[static_cast<std::size_t>(next)] = true;
    }
  }
  for (int i = 0; i < count_; ++i) of_switch_[static_cast<std::size_t>(i)] = !led_to[static_cast<std::size_t>(i)];
  if (by_table_.none()) return;
  // A case that is a loop is led to by itself alone.
  for (Blocks reached = from_begin(); true; reached = from_begin()) {
    int next = 0;
    while (next < count_ && (reached[static_cast<std::size_t>(next)] || !led_to[static_cast<std::size_t>(next)])) ++next;
    if (next == count_) break;
    of_switch_[static_cast<std::size_t>(next)] = true;
  }
  if (of_switch_.none()) leaves_ |= by_table_;
}

bool Flow::goes_to(int block, const Blocks& any) const {
  auto is = [&](int next) { return next >= 0 && any[static_cast<std::size_t>(next)]; };
  return is(next_[block][0]) || is(next_[block][1]) || (by_table_[static_cast<std::size_t>(block)] && (of_switch_ & any).any());
}

// By at least one step, and by none from one of `ends`.
Flow::Blocks Flow::reached_from(int block, const Blocks& among, const Blocks& ends) const {
  Blocks reached;
  std::int16_t work[most];
  int waiting = 0;
  auto add = [&](int next) {
    if (next < 0 || !among[static_cast<std::size_t>(next)] || reached[static_cast<std::size_t>(next)]) return;
    reached[static_cast<std::size_t>(next)] = true;
    work[waiting++] = static_cast<std::int16_t>(next);
  };
  for (int from = block;; from = work[--waiting]) {
    bool goes_on = from == block || !ends[static_cast<std::size_t>(from)];
    if (goes_on) add(next_[from][0]), add(next_[from][1]);
    for (int i = 1; goes_on && by_table_[static_cast<std::size_t>(from)] && i < count_; ++i) {
      if (of_switch_[static_cast<std::size_t>(i)]) add(i);
    }
    if (!waiting) return reached;
  }
}

// Those, too.
Flow::Blocks Flow::that_reach(Blocks reach, const Blocks& among) const {
  for (bool more = true; more;) {
    more = false;
    for (int i = count_ - 1; i >= 0; --i) {
      auto bit = static_cast<std::size_t>(i);
      if (reach[bit] || !among[bit] || !goes_to(i, reach)) continue;
      reach[bit] = true;
      more = true;
    }
  }
  return reach;
}

// Those of its blocks that control comes to from outside.
Flow::Blocks Flow::entered(const Blocks& loop) const {
  Blocks entries;
  if (loop[0]) entries[0] = true;
  for (int i = 0; i < count_; ++i) {
    if (loop[static_cast<std::size_t>(i)] || !reached_[static_cast<std::size_t>(i)]) continue;
    for (int next : next_[i]) {
      if (next >= 0 && loop[static_cast<std::size_t>(next)]) entries[static_cast<std::size_t>(next)] = true;
    }
    if (by_table_[static_cast<std::size_t>(i)]) entries |= of_switch_ & loop;
  }
  return entries;
}

// What leads from the block to itself; and without where that is entered, what does so still.
Flow::Blocks Flow::loop_around(int block, const Blocks& among) const {
  auto bit = static_cast<std::size_t>(block);
  Blocks loop = reached_from(block, among);
  if (!loop[bit]) return {};
  loop &= that_reach(only(block), among);
  Blocks entries = entered(loop);
  if (entries[bit] || entries.none()) return loop;
  Blocks inner = loop_around(block, loop & ~entries);
  return inner.any() ? inner : loop;
}

}  // namespace weir::lane
