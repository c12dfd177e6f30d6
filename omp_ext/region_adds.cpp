// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_adds.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <new>
#include <numeric>

#include "base/names.h"
#include "lane/arithmetic.h"
#include "lane/constants.h"
#include "lane/instruction.h"
#include "lane/place.h"
#include "sys/process.h"

namespace weir::team {
namespace {

using lane::Change;
using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::Operands;
using lane::Place;

using enum lane::Register;

constexpr int arguments[] = {rdi, rsi, rdx, rcx, r8, r9};

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

// What stands in a place before an instruction, or at the end of a block, is part of what is added.
struct Wanted {
  Place place;
  int block;
  std::uintptr_t before;
};

// What one look at a function needs, and at one that it calls: kept apart, for the thread that forks may have a small stack.
struct Room {
  static constexpr int most_places = 48, most_pending = 512;
  Wanted pending[most_pending];
  Place seen[most_places];  // that are wanted at the end of some block
  Flow::Blocks at_end[most_places];
  std::int16_t first_before[Flow::most + 1], before[2 * Flow::most];
};
constinit Room rooms[2]{};
alignas(Flow) constinit std::byte room_of_called[sizeof(Flow)]{};
constinit std::atomic<bool> taken{false};

class Adding {
 public:
  Adding(const Object& object, Function function, const Flow& flow, const Beside& beside, bool is_called)
      : object_(object), flow_(flow), places_(function), beside_(beside), room_(rooms[is_called]), is_called_(is_called) {
    find_before();
  }

  bool finds_own() {
    look_in_each(&Adding::look_in);
    if (!own_) look_in_each(&Adding::look_at_calls);
    return own_;
  }

  // Of a function that is called: which of its arguments it adds, a bit for each.
  unsigned finds_arguments() {
    look_in_each(&Adding::look_in);
    return arguments_;
  }

 private:
  void look_in_each(void (Adding::*look)(int block)) {
    for (int block = 0; block < flow_.count() && !own_; ++block) {
      if (flow_.may_pass(block) && !is_shared(block)) (this->*look)(block);
    }
  }

  // Which blocks control comes from.
  void find_before() {
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

  bool is_shared(int block) const { return beside_.shared[static_cast<std::size_t>(block)]; }
  bool has_time() { return ++looked_at_ < most_looked_at; }  // to read more would take longer than it is worth

  // Where a shared_ptr's count is, and its weak ones': 32 bits behind a pointer to functions. It is counted down again.
  bool is_of_owners(const Operands& o) const {
    if (o.wide || o.base < 0 || (o.displacement != 8 && o.displacement != 12)) return false;
    for (int block = 0; block < flow_.count(); ++block) {
      Function code = flow_.code_of(block);
      for (std::uintptr_t at = code.begin; at < code.end;) {
        Operands other = lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end));
        bool same = other.length && other.in_memory && !other.wide;  // the address may have been computed before
        if (same && lane::is_locked(lane::bytes_at(at)) && takes_off(other, code, at)) return true;
        at += other.length ? other.length : 1;
      }
    }
    return false;
  }
  static bool takes_off(const Operands& o, Function code, std::uintptr_t at) {
    if (fetches(o)) return is_constant(o, code, at, -1);
    int which = o.first & 7;
    bool by_constant = is_plain(o) && (o.opcode == 0x81 || o.opcode == 0x83);
    return (is_plain(o) && o.opcode == 0xff && which == 1) || (by_constant && ((which == 5 && o.immediate > 0) || (which == 0 && o.immediate < 0)));
  }
  static bool fetches(const Operands& o) { return o.map == 1 && !o.vector && (o.opcode | 1) == 0xc1; }
  static bool is_constant(const Operands& o, Function code, std::uintptr_t at, std::int32_t constant) {
    auto known = lane::constants_before(code, at).in(o.first);
    return known && static_cast<std::int32_t>(*known) == constant;
  }

  // What in a block is added to memory that others add to.
  void look_in(int block) {
    Function code = flow_.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end && !own_;) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end));
      if (!has_time()) own_ = true;
      if (o.length && !beside_.share.holds(block, at)) {
        if (lane::is_locked(lane::bytes_at(at))) added_at_once(block, at, o);
        else if (beside_.alone.holds(block, at)) added_alone(block, at, o);
      }
      at += o.length ? o.length : 1;
    }
  }

  // What is handed to a function that adds it.
  void look_at_calls(int block) {
    Function code = flow_.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end && !own_;) {
      Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end));
      Named named = is_call(i) || i.kind == Instruction::jump ? named_by(object_, i) : Named{};  // the last call of all may be a jump
      unsigned added = named.function && !beside_.share.holds(block, at) && followed_ < most_followed ? arguments_added(named.function) : 0;
      for (int of : arguments) {
        if (added & 1u << of) follow({in(of), block, at});
      }
      at += i.length ? i.length : 1;
    }
  }

  unsigned arguments_added(std::uintptr_t start) {
    constexpr std::uintptr_t longest = 1024;
    ++followed_;
    Function function = object_.starting_at(start);
    if (!function || function.end - function.begin > longest) return 0;
    Flow& flow = *new (room_of_called) Flow(function);
    if (!flow.fits()) return 0;
    Zone none, alone;
    each_instruction(object_, flow, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
      mark_alone(alone, object_, block, i, at, named);
    });
    flow.find_ways();
    alone.find(flow);
    Flow::Blocks loops;
    for (int block = 0; block < flow.count(); ++block) loops[static_cast<std::size_t>(block)] = flow.is_in_loop(block);
    return Adding(object_, function, flow, {none, alone, loops}, true).finds_arguments();
  }

  void added_at_once(int block, std::uintptr_t at, const Operands& o) {
    auto *bytes = lane::bytes_at(at), *end = lane::bytes_at(flow_.code_of(block).end);
    // Only once: what a loop counts may be what a loop that is shared out has left.
    bool takes_number = beside_.by_openmp && fetches(o) && is_constant(o, flow_.code_of(block), at, 1);
    bool counts = lane::steps_by_one(bytes, end) || lane::adds_at_once(bytes, end) || takes_number;
    own_ |= counts && !is_called_ && !flow_.is_in_loop(block) && !is_of_owners(o);
    if (fetches(o) && lane::constants_before(flow_.code_of(block), at).in(o.first)) return;
    if (o.in_memory && (fetches(o) || (adds(o) && adds_to_second(o)))) follow({in(o.first), block, at});
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
    room_.pending[0] = first;
    for (count_ = 1; count_ > 0 && !own_;) go_back(room_.pending[--count_]);
  }

  void want(Wanted more) {
    if (count_ < Room::most_pending) room_.pending[count_++] = more;
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
      own_ |= !has_time();
      at -= lengths[count];
      if (!over(at, wanted)) return;
    }
    if (!own_) to_begin(wanted.place, wanted.block);
  }

  void to_begin(const Place& place, int block) {
    bool is_argument = !place.slot && std::find(std::begin(arguments), std::end(arguments), place.base) != std::end(arguments);
    if (block == 0 && is_argument && is_called_) arguments_ |= 1u << place.base;
    own_ |= block == 0 && is_argument && !is_called_;
    own_ |= block != 0 && room_.first_before[block] == room_.first_before[block + 1];  // a switch leads there: who knows from where
    for (int i = room_.first_before[block]; i < room_.first_before[block + 1]; ++i) {
      if (flow_.may_pass(room_.before[i])) want({place, room_.before[i], flow_.code_of(room_.before[i]).end});
    }
  }

  // One instruction back. False: what was there before does not matter.
  bool over(std::uintptr_t at, Wanted& wanted) {
    std::uintptr_t end = flow_.code_of(wanted.block).end;
    Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(end));
    Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(end));
    Change change = places_.change(wanted.place, i, o);
    if (change.what == Change::nothing) return true;
    bool shared = is_shared(wanted.block);
    switch (change.what) {
      case Change::step: return shared || over_step(change, wanted, at);  // what a loop adds is its own
      case Change::copy: return !(shared && change.by) && over_copy(change, wanted, at, shared);
      default: return !flow_.is_in_loop(wanted.block) && over_other(i, o, wanted, at);
    }
  }

  bool over_step(const Change& change, const Wanted& wanted, std::uintptr_t at) {
    if (change.by) want({change.by, wanted.block, at});
    else own_ = true;
    return true;
  }

  bool over_copy(const Change& change, Wanted& wanted, std::uintptr_t at, bool shared) {
    own_ |= change.moved && !shared;
    if (change.by) want({change.by, wanted.block, at});
    wanted.place = change.from;
    return true;
  }

  bool over_other(const Instruction& i, const Operands& o, Wanted& wanted, std::uintptr_t at) {
    bool goes = i.kind != Instruction::other && i.kind != Instruction::loads_slot && i.kind != Instruction::takes_address;
    Place second = places_.second_of(o);
    if (!goes && makes_zero(o)) return false;
    if (!goes && stores_zeros(o, wanted.block, at)) return false;
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

  // A vector that was made in this block, of nothing but 0: so containers begin.
  bool stores_zeros(const Operands& o, int block, std::uintptr_t before) const {
    if (o.map != 1 || !o.in_memory || !is_store(o)) return false;
    bool zeros = false;
    for (std::uintptr_t at = flow_.code_of(block).begin; at < before;) {
      Operands made = lane::read_operands(lane::bytes_at(at), lane::bytes_at(before));
      if (made.length && made.map == 1 && made.first == o.first && !(made.in_memory && is_store(made)))
        zeros = (made.opcode == 0x57 || made.opcode == 0xef) && !made.in_memory && made.second == made.first;
      at += made.length ? made.length : 1;
    }
    return zeros;
  }
  static bool is_store(const Operands& o) { return o.opcode == 0x11 || o.opcode == 0x29 || o.opcode == 0x7f || o.opcode == 0xd6; }

  // An address, from which a container's other addresses are told.
  bool gives_memory(const Instruction& i) const {
    static constexpr const char* giving[] = {"malloc", "calloc", "realloc", "aligned_alloc"};
    const char* name = is_call(i) ? named_by(object_, i).name : nullptr;
    return name && (base::starts(name, "_Zn") || base::among(name, giving));
  }

  bool is_new(const Place& place, int block) {
    auto* known = std::find(room_.seen, room_.seen + places_seen_, place);
    auto which = known - room_.seen;
    if (which == Room::most_places) own_ = true;  // who knows
    if (own_) return false;
    if (which == places_seen_) {
      room_.seen[places_seen_++] = place;
      room_.at_end[which].reset();
    }
    bool is_new = !room_.at_end[which][static_cast<std::size_t>(block)];
    room_.at_end[which][static_cast<std::size_t>(block)] = true;
    return is_new;
  }

  static constexpr int most_looked_at = 50'000, most_followed = 32;

  const Object& object_;
  const Flow& flow_;
  lane::Places places_;
  Beside beside_;
  Room& room_;
  bool is_called_, own_ = false;
  int count_ = 0, places_seen_ = 0;  // of what the room holds
  unsigned arguments_ = 0;
  int followed_ = 0, looked_at_ = 0;
};

// False where another thread is at it for long.
bool take_rooms() {
  constexpr int patience = 10'000;
  for (int i = 0; i < patience; ++i) {
    if (!taken.exchange(true, std::memory_order_acquire)) return true;
    sys::yield();
  }
  return false;
}

}  // namespace

bool adds_its_own(const Object& object, Function function, const Flow& flow, const Beside& beside) {
  if (!take_rooms()) return true;
  bool own = Adding(object, function, flow, beside, false).finds_own();
  taken.store(false, std::memory_order_release);
  return own;
}

}  // namespace weir::team
