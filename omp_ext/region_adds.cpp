// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_adds.h"

#include <algorithm>

#include "lane/arithmetic.h"
#include "lane/constants.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::team {
namespace {

using lane::Change;
using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Operands;
using lane::Place;

using enum lane::Register;

Place in(int of) { return {of, false, 0}; }

// How opcodes of arithmetic tell what they do, and where to.
constexpr int is_add = 0, is_sub = 5;
bool is_plain(const Operands& o) { return o.length && o.map == 0 && !o.vector && o.has_modrm; }
bool adds(const Operands& o) {
  int what = o.opcode >> 3;
  return is_plain(o) && (o.opcode & 7) < 4 && (what == is_add || what == is_sub);
}
bool adds_to_second(const Operands& o) { return (o.opcode & 7) < 2; }

// Shifted or negated, what is 0 stays so.
bool keeps_zero(const Operands& o) {
  if (!is_plain(o)) return false;
  int which = o.first & 7;
  bool shifts = o.opcode == 0xc0 || o.opcode == 0xc1 || (o.opcode >= 0xd0 && o.opcode <= 0xd3);
  return shifts || ((o.opcode == 0xf6 || o.opcode == 0xf7) && which == 3);
}

bool makes_zero(const Operands& o) {
  if (o.vector || o.map) return false;
  bool by_itself = o.opcode == 0x29 || o.opcode == 0x2b || o.opcode == 0x31 || o.opcode == 0x33;
  if (by_itself) return !o.in_memory && o.first == o.second;
  bool constant = o.opcode == 0xc6 || o.opcode == 0xc7 || (o.opcode >= 0xb0 && o.opcode <= 0xbf);
  return constant && o.immediate == 0;
}

class Adding {
 public:
  Adding(Function function, const Flow& flow, const Zone& share, const Zone& alone)
      : flow_(flow), places_(function), share_(share), alone_(alone) {}

  bool finds_own() {
    for (int block = 0; block < flow_.count() && !own_; ++block) {
      if (flow_.may_pass(block) && !flow_.is_in_loop(block)) look_in(block);
    }
    return own_;
  }

 private:
  // What stands in a place before an instruction, or at the end of a block, is part of what is added.
  struct Wanted {
    Place place;
    int block;
    std::uintptr_t before;
  };

  // Where a shared_ptr's count is, and its weak ones': 32 bits behind a pointer to functions.
  static bool is_of_owners(const Operands& o) { return !o.wide && o.base >= 0 && (o.displacement == 8 || o.displacement == 12); }

  // What in a block is added to memory that others add to.
  void look_in(int block) {
    Function code = flow_.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end && !own_;) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end));
      if (o.length && !share_.holds(block, at)) {
        if (lane::is_locked(lane::bytes_at(at))) added_at_once(block, at, o);
        else if (alone_.holds(block, at)) added_alone(block, at, o);
      }
      at += o.length ? o.length : 1;
    }
  }

  void added_at_once(int block, std::uintptr_t at, const Operands& o) {
    auto *bytes = lane::bytes_at(at), *end = lane::bytes_at(flow_.code_of(block).end);
    if (!is_of_owners(o)) own_ |= lane::steps_by_one(bytes, end) || lane::adds_at_once(bytes, end);
    bool fetches = o.map == 1 && !o.vector && (o.opcode | 1) == 0xc1;  // a constant: counts of references too
    if (fetches && lane::constants_before(flow_.code_of(block), at).in(o.first)) return;
    if (o.in_memory && (fetches || (adds(o) && adds_to_second(o)))) follow({in(o.first), block, at});
  }

  // By one instruction, or what was loaded is added to, and stored again.
  void added_alone(int block, std::uintptr_t at, const Operands& o) {
    if (!adds(o)) return;
    Place second = places_.second_of(o), first = in(o.first);
    std::uintptr_t behind = at + o.length;
    if (!second) {
      if (adds_to_second(o) || is_stored(o, o.first, block, behind)) follow({first, block, at});
      return;
    }
    Place to = adds_to_second(o) ? second : first, by = adds_to_second(o) ? first : second;
    if (to.slot) return;
    if (is_loaded(to.base, block, at, to.base, behind)) follow({by, block, at});
    else if (!by.slot && is_loaded(by.base, block, at, to.base, behind)) follow({to, block, at});
  }

  // Was the register loaded before from where the sum is stored behind?
  bool is_loaded(int of, int block, std::uintptr_t before, int sum, std::uintptr_t behind) const {
    Operands from;
    for (std::uintptr_t at = flow_.code_of(block).begin; at < before;) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(before));
      bool loads = is_plain(o) && o.opcode == 0x8b && o.first == of;
      if (loads) from = o.in_memory && !places_.second_of(o) ? o : Operands{};
      at += o.length ? o.length : 1;
    }
    return from.length && is_stored(from, sum, block, behind);
  }

  // Soon, from a register. (The pointer to it may be loaded anew, into another.)
  bool is_stored(const Operands& there, int of, int block, std::uintptr_t at) const {
    constexpr int soon = 3;
    std::uintptr_t end = flow_.code_of(block).end;
    for (int i = 0; i < soon && at < end; ++i) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(end));
      if (!o.length) return false;
      bool stores = is_plain(o) && o.opcode == 0x89 && o.in_memory && !places_.second_of(o);
      bool there_too = o.base < 0 ? there.base < 0 : o.index == there.index && o.displacement == there.displacement;
      if (stores && o.first == of && there_too) return true;
      at += o.length;
    }
    return false;
  }

  // Where does it come from: beside loops from anything but 0, and from what loops left?
  void follow(Wanted first) {
    places_seen_ = 0;
    pending_[0] = first;
    for (count_ = 1; count_ > 0 && !own_;) go_back(pending_[--count_]);
  }

  void want(Wanted more) {
    if (count_ < most_pending) pending_[count_++] = more;
    else own_ = true;  // who knows
  }

  void go_back(Wanted wanted) {
    constexpr int longest = 512;
    Function code = flow_.code_of(wanted.block);
    if (wanted.before == code.end && !is_new(wanted.place, wanted.block)) return;
    std::uint8_t lengths[longest];
    int count = 0;
    std::uintptr_t at = code.begin;
    for (; at < wanted.before && count < longest; at += lengths[count++]) {
      std::uint8_t length = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end)).length;
      lengths[count] = length ? length : 1;
    }
    own_ |= at < wanted.before;
    while (count-- && !own_) {
      at -= lengths[count];
      if (!over(at, wanted)) return;
    }
    if (!own_) to_begin(wanted.place, wanted.block);
  }

  void to_begin(const Place& place, int block) {
    bool is_argument = !place.slot && (place.base == rdx || place.base == rcx || (place.base >= rsi && place.base <= r9));
    own_ |= block == 0 && is_argument;
    for (int before = 0; before < flow_.count(); ++before) {
      bool leads_here = flow_.next(before, 0) == block || flow_.next(before, 1) == block;
      if (leads_here && flow_.may_pass(before)) want({place, before, flow_.code_of(before).end});
    }
  }

  // One instruction back. False: what was there before does not matter.
  bool over(std::uintptr_t at, Wanted& wanted) {
    std::uintptr_t end = flow_.code_of(wanted.block).end;
    Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(end));
    Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(end));
    Change change = places_.change(wanted.place, i, o);
    if (change.what == Change::nothing) return true;
    bool looped = is_looped(wanted.block);
    switch (change.what) {
      case Change::step: return looped || over_step(change, wanted, at);  // what a loop adds is its own
      case Change::copy: return !(looped && change.by) && over_copy(change, wanted, at, looped);
      default: return !looped && over_other(i, o, wanted, at);
    }
  }

  bool over_step(const Change& change, const Wanted& wanted, std::uintptr_t at) {
    if (change.by) want({change.by, wanted.block, at});
    else own_ = true;
    return true;
  }

  bool over_copy(const Change& change, Wanted& wanted, std::uintptr_t at, bool looped) {
    own_ |= change.moved && !looped;
    if (change.by) want({change.by, wanted.block, at});
    wanted.place = change.from;
    return true;
  }

  bool over_other(const Instruction& i, const Operands& o, Wanted& wanted, std::uintptr_t at) {
    bool goes = i.kind != Instruction::other && i.kind != Instruction::loads_slot && i.kind != Instruction::takes_address;
    Place second = places_.second_of(o);
    if (!goes && makes_zero(o)) return false;
    if (!goes && keeps_zero(o)) return true;
    bool chooses = !goes && !o.vector && o.map == 1 && (o.opcode & 0xf0) == 0x40;
    bool multiplies = is_plain(o) && (o.opcode == 0x69 || o.opcode == 0x6b);
    if (chooses && second) want({second, wanted.block, at});
    if (multiplies && second) wanted.place = second;
    bool known = second && (chooses || multiplies);
    own_ |= !known;
    return known;
  }

  bool is_new(const Place& place, int block) {
    auto* known = std::find(seen_, seen_ + places_seen_, place);
    auto which = known - seen_;
    if (which == most_places) own_ = true;  // who knows
    if (own_) return false;
    if (which == places_seen_) {
      seen_[places_seen_++] = place;
      at_end_[which].reset();
    }
    bool is_new = !at_end_[which][static_cast<std::size_t>(block)];
    at_end_[which][static_cast<std::size_t>(block)] = true;
    return is_new;
  }

  bool is_looped(int block) {
    auto at = static_cast<std::size_t>(block);
    if (!asked_[at]) looped_[at] = flow_.is_in_loop(block);
    asked_[at] = true;
    return looped_[at];
  }

  static constexpr int most_places = 24, most_pending = 512;

  const Flow& flow_;
  lane::Places places_;
  const Zone &share_, &alone_;
  bool own_ = false;
  Wanted pending_[most_pending];
  int count_ = 0;
  Place seen_[most_places];  // that are wanted at the end of some block
  Flow::Blocks at_end_[most_places];
  int places_seen_ = 0;
  Flow::Blocks asked_, looped_;
};

}  // namespace

bool adds_its_own(Function function, const Flow& flow, const Zone& share, const Zone& alone) {
  return Adding(function, flow, share, alone).finds_own();
}

}  // namespace weir::team
