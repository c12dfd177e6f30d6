// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_origin.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "base/names.h"
#include "lane/branch.h"
#include "lane/instruction.h"
#include "lane/vectors.h"
#include "omp_ext/region_body.h"
#include "sys/process.h"

namespace weir::team {

using lane::Change;
using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::Operands;
using lane::Place;

struct OriginRoom {
  static constexpr int most_places = 48, most_pending = 2 * Flow::most, longest = 8192;
  Wanted pending[most_pending];
  std::uint8_t lengths[longest];  // of a block's instructions
  Place seen[most_places];  // that are wanted at the end of some block
  Flow::Blocks at_end[most_places];
  std::int16_t first_before[Flow::most + 1], before[2 * Flow::most];
};

namespace {

constinit OriginRoom rooms[2]{};  // a function's, and one that it calls
constinit std::atomic<bool> taken{false};

bool is_plain(const Operands& o) { return o.length && o.map == 0 && !o.vector && o.has_modrm; }

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

// A comparison's result, as 1 or 0.
bool adds_flag(const Operands& o) {
  enum { adc = 2, sbb = 3 };
  if (!is_plain(o)) return false;
  int what = o.opcode == 0x81 || o.opcode == 0x83 ? o.first & 7 : o.opcode < 0x40 ? o.opcode >> 3 : -1;
  return what == adc || what == sbb;
}

bool divides(const Operands& o) { return is_plain(o) && o.opcode == 0xf7 && (o.first & 7) >= 6; }

}  // namespace

bool Origins::take_room() {
  constexpr int patience = 10'000;
  for (int i = 0; i < patience; ++i) {
    if (!taken.exchange(true, std::memory_order_acquire)) return true;
    sys::yield();
  }
  return false;
}
void Origins::leave_room() { taken.store(false, std::memory_order_release); }

Origins::Origins(const Object& object, Function function, const Flow& flow, const Flow::Blocks& shared, bool is_called, Sought sought)
    : object_(object), flow_(flow), shared_(shared), places_(function), room_(rooms[is_called]), is_called_(is_called), sought_(sought) {
  find_before();
}

// Which blocks control comes from.
void Origins::find_before() {
  std::fill(std::begin(room_.first_before), std::end(room_.first_before), std::int16_t{0});
  for (int block = 0; block < flow_.count(); ++block) {
    for (int which : {0, 1}) {
      if (int to = flow_.next(block, which); to >= 0) ++room_.first_before[to + 1];
    }
  }
  std::partial_sum(room_.first_before, room_.first_before + flow_.count() + 1, room_.first_before);
  std::int16_t filled[Flow::most] = {};
  for (int block = 0; block < flow_.count(); ++block) {
    for (int which : {0, 1}) {
      if (int to = flow_.next(block, which); to >= 0) room_.before[room_.first_before[to] + filled[to]++] = static_cast<std::int16_t>(block);
    }
  }
}

// Where does it come from: beside loops from anything but 0, and from what loops left?
void Origins::follow(const Wanted& first) {
  room_.pending[0] = first;
  for (count_ = 1; count_ > 0 && !is_done();) go_back(room_.pending[--count_]);
}

void Origins::want(const Wanted& more) {
  if (count_ < OriginRoom::most_pending) room_.pending[count_++] = more;
  else own_ = true;  // who knows
}

void Origins::go_back(Wanted wanted) {
  Function code = flow_.code_of(wanted.block);
  int count = 0;
  std::uintptr_t at = code.begin;
  for (; at < wanted.before && count < OriginRoom::longest; at += room_.lengths[count++]) {
    std::uint8_t length = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end)).length;
    room_.lengths[count] = length ? length : 1;
  }
  own_ |= at < wanted.before;
  while (count-- && !is_done()) {
    own_ |= !has_time();
    at -= room_.lengths[count];
    if (!over(at, wanted)) return;
  }
  if (!is_done()) to_begin(wanted.place, wanted.block);
}

void Origins::to_begin(const Place& place, int block) {
  constexpr auto& of = lane::argument_registers;
  bool is_argument = !place.slot && std::find(std::begin(of), std::end(of), place.base) != std::end(of);
  if (block == 0 && is_argument && is_called_) arguments_ |= 1u << place.base;
  own_ |= block == 0 && is_argument && !is_called_;
  own_ |= block != 0 && room_.first_before[block] == room_.first_before[block + 1];  // a switch leads there: who knows from where
  for (int i = room_.first_before[block]; i < room_.first_before[block + 1]; ++i) {
    int before = room_.before[i];
    if (flow_.may_pass(before) && !is_zero_from(before, place, block) && is_new(place, before)) want({place, before, flow_.code_of(before).end});
  }
}

// By the branch that leads from there.
bool Origins::is_zero_from(int before, const Place& place, int block) const {
  int way = lane::way_if_zero(places_, place, flow_.code_of(before));
  return way >= 0 && flow_.next(before, way) == block && flow_.next(before, 1 - way) != block;
}

// One instruction back. False: what was there before does not matter.
bool Origins::over(std::uintptr_t at, Wanted& wanted) {
  std::uintptr_t end = flow_.code_of(wanted.block).end;
  Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(end));
  Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(end));
  Change change = places_.change(wanted.place, i, o);
  if (change.what == Change::nothing) return true;
  bool shared = shared_[static_cast<std::size_t>(wanted.block)];
  counted_ |= shared && (change.what == Change::step || (change.what == Change::copy && (change.by || change.moved)));
  switch (change.what) {
    case Change::step: return shared || over_step(change, wanted, at);  // what a loop adds is its own
    case Change::copy: return !(shared && change.by) && over_copy(change, wanted, at, shared);
    default: break;
  }
  counted_ |= (shared && adds_flag(o)) || divides(o);  // as long as its share
  bool follows = sought_ == Sought::counts || !flow_.is_in_loop(wanted.block);
  return follows && over_other(i, o, wanted, at);
}

bool Origins::over_step(const Change& change, const Wanted& wanted, std::uintptr_t at) {
  if (change.by) want({change.by, wanted.block, at});
  else own_ = true;
  return true;
}

bool Origins::over_copy(const Change& change, Wanted& wanted, std::uintptr_t at, bool shared) {
  own_ |= change.moved && !shared;
  if (change.by) want({change.by, wanted.block, at});
  wanted.place = change.from;
  return true;
}

bool Origins::over_other(const Instruction& i, const Operands& o, Wanted& wanted, std::uintptr_t at) {
  bool goes = i.kind != Instruction::other && i.kind != Instruction::loads_slot && i.kind != Instruction::takes_address;
  Place second = places_.second_of(o);
  if (!goes && makes_zero(o)) return false;
  if (!goes && by_vector(o, wanted, at)) return false;
  if (goes && gives_memory(i)) return false;
  if (!goes && keeps_zero(o)) return true;
  bool chooses = !goes && !o.vector && o.map == 1 && (o.opcode & 0xf0) == 0x40;
  bool multiplies = is_plain(o) && (o.opcode == 0x69 || o.opcode == 0x6b);
  if (chooses && second) want({second, wanted.block, at});
  if (multiplies && second) wanted.place = second;
  bool known = second && (chooses || multiplies);
  own_ |= !known;
  return known;
}

// A vector that was made in this block: so containers begin.
bool Origins::by_vector(const Operands& o, const Wanted& wanted, std::uintptr_t at) {
  if (o.map != 1 || !o.in_memory || !lane::stores_vector(o)) return false;
  lane::Made made = lane::made_of(places_, flow_.code_of(wanted.block), o.first, at);
  for (int i = 0; i < made.count && made.known; ++i) want({made.parts[i].place, wanted.block, made.parts[i].before});
  return made.known;
}

// An address, from which a container's other addresses are told.
bool Origins::gives_memory(const Instruction& i) const {
  static constexpr const char* giving[] = {"malloc", "calloc", "realloc", "aligned_alloc"};
  const char* name = is_call(i) ? named_by(object_, i).name : nullptr;
  return name && (base::starts(name, "_Zn") || base::among(name, giving));
}

bool Origins::is_new(const Place& place, int block) {
  auto* known = std::find(room_.seen, room_.seen + places_seen_, place);
  auto which = known - room_.seen;
  if (which == OriginRoom::most_places) own_ = true;  // who knows
  if (which == OriginRoom::most_places) return false;
  if (which == places_seen_) {
    room_.seen[places_seen_++] = place;
    room_.at_end[which].reset();
  }
  bool is_new = !room_.at_end[which][static_cast<std::size_t>(block)];
  room_.at_end[which][static_cast<std::size_t>(block)] = true;
  return is_new;
}
}  // namespace weir::team
