// SPDX-License-Identifier: Apache-2.0
#include "lane/value.h"

#include <algorithm>
#include <climits>
#include <iterator>

#include "base/names.h"
#include "lane/flow.h"
#include "lane/instruction.h"
#include "lane/place.h"

namespace weir::lane {
namespace {

// Registers, and slots of the function's frame, that hold the number or what was made of it: a bit for each. In the upper half a bit
// for each register that nothing was divided by since: what is left there after that is not meant for the next call.
using Held = std::uint64_t;
constexpr int registers = 16;
constexpr Held bit(int place) { return place < 0 ? 0 : Held{1} << place; }
constexpr Held all_registers = bit(registers) - 1, all_slots = all_registers << registers;
constexpr Held fresh(Held places) { return (places & all_registers) << 32; }
constexpr Held arguments = bit(rdi) | bit(rsi) | bit(rdx) | bit(rcx) | bit(r8) | bit(r9);
constexpr Held kept_over_calls = bit(rbx) | bit(rbp) | bit(r12) | bit(r13) | bit(r14) | bit(r15) | all_slots | ~Held{0} << 32;

// The slots of a function's frame. One may be part of what the function has handed out the address of; it is taken to be its own
// where nothing at or below it was handed out, or where the function itself reads it again.
class Frame {
 public:
  explicit Frame(Function function) : function_(function), has_pointer_(has_frame_pointer(function)) {
    each([this](const Operands& o) { look(o); });
  }
  // The bit of the slot that the operand is; 0: it is none, or not the function's own.
  Held slot(const Operands& o, bool make) {
    if (!o.in_memory || o.index >= 0 || !is_frame(o.base)) return 0;
    for (int i = 0; i < count_; ++i) {
      if (slots_[i].base == o.base && slots_[i].displacement == o.displacement) return bit(registers + i);
    }
    if (!make || count_ == most || !is_own(o)) return 0;
    slots_[count_] = {o.base, o.displacement};
    return bit(registers + count_++);
  }

 private:
  static constexpr int most = 16;

  template <typename Fn>
  void each(Fn fn) const {
    for (std::uintptr_t at = function_.begin; at < function_.end;) {
      Operands o = read_operands(bytes_at(at), bytes_at(function_.end));
      if (o.length) fn(o);
      at += o.length ? o.length : 1;
    }
  }
  bool is_frame(int base) const { return base == rsp || (base == rbp && has_pointer_); }

  static bool is_address(const Operands& o) { return o.map == 0 && !o.vector && o.opcode == 0x8d && o.in_memory; }

  void look(const Operands& o) {
    if (o.map || o.vector) return;
    if (is_address(o) && is_frame(o.base)) {
      int& taken = taken_[o.base == rbp];
      taken = std::min(taken, o.index >= 0 ? INT_MIN : static_cast<int>(o.displacement));
    }
    bool copies_pointer = (o.opcode == 0x89 && !o.in_memory && o.first == rsp && !(o.second == rbp && has_pointer_)) ||
                          (o.opcode == 0x8b && !o.in_memory && o.second == rsp);
    if (copies_pointer) taken_[0] = INT_MIN;
    if (copies_pointer && !has_pointer_) taken_[1] = INT_MIN;
  }

  bool is_own(const Operands& slot) const {
    int taken = taken_[slot.base == rbp];
    if (slot.displacement < taken) return true;
    bool read = false, handed_out = taken == INT_MIN;
    each([&](const Operands& o) {
      if (!o.in_memory || o.base != slot.base || o.index >= 0 || o.displacement != slot.displacement) return;
      constexpr int stores[] = {0x88, 0x89, 0xc6, 0xc7};
      bool store = o.map == 0 && std::find(std::begin(stores), std::end(stores), o.opcode) != std::end(stores);
      if (is_address(o)) handed_out = true;
      else read |= !store;
    });
    return read && !handed_out;
  }

  struct Slot {
    int base;
    std::int32_t displacement;
  };
  Function function_;
  bool has_pointer_;
  int taken_[2] = {INT_MAX, INT_MAX};  // from the stack pointer, from the frame pointer
  int count_ = 0;
  Slot slots_[most];
};

class Trail {
 public:
  Trail(const Object& object, Function function, Number number, bool returns)
      : object_(object), function_(function), frame_(function), threads_(number == Number::of_threads), returns_(returns) {}

  Use follow(std::uintptr_t after) {
    come_to(after, bit(rax) | fresh(bit(rax)));
    for (int next = 0; next < count_ && !lost_; ++next) {
      if (points_[next].seen) continue;
      points_[next].seen = true;
      walk(points_[next].at, points_[next].held);
      next = -1;  // one before it may be to be seen again
    }
    return lost_ || loses_rest() ? Use::elsewhere : steps_ ? Use::steps : Use::shares;
  }
  // Where it is compared with a constant.
  int picks() const { return picks_; }
  std::uintptr_t pick(int which) const { return picked_at_[which]; }

 private:
  // What is left over by a division: is it compared, as who shares it out does?
  bool is_rest_compared(std::uintptr_t after) {
    of_rest_ = true;
    come_to(after, bit(rdx) | fresh(bit(rdx)));
    for (int next = 0; next < count_ && !lost_ && !compared_; ++next) walk(points_[next].at, points_[next].held);
    return compared_;
  }

  // Whoever divides by the number of threads and drops the rest has it equal, or in the last one's share.
  bool loses_rest() const {
    if (!divided_by_) return false;
    for (int d = 0; d < divisions_; ++d) {
      if (Trail(object_, function_, Number::of_this_thread, returns_).is_rest_compared(behind_division_[d])) return false;
    }
    return true;
  }
  struct Point {
    std::uintptr_t at;
    Held held;
    bool seen;
  };
  static constexpr int most_points = 96, most_steps = 8192, longest = 15;

  void come_to(std::uintptr_t at, Held held) {
    for (int i = 0; i < count_; ++i) {
      if (points_[i].at != at) continue;
      if (held & ~points_[i].held) points_[i] = {at, points_[i].held | held, false};
      return;
    }
    if (count_ < most_points) points_[count_++] = {at, held, false};
    else lost_ = true;
  }

  void walk(std::uintptr_t at, Held held) {
    while ((held & (all_registers | all_slots)) && !lost_) {
      if (!object_.holds(at) || !object_.holds(at + longest) || ++taken_ > most_steps) return lose();
      // Beyond the function: parts of it that are set apart.
      const std::uint8_t* end = bytes_at(function_.holds(at) ? function_.end : at + longest);
      Operands o = read_operands(bytes_at(at), end);
      Instruction i = read_instruction(bytes_at(at), end);
      if (!o.length) return lose();
      at_ = at;
      at += o.length;
      if (ends(o)) {
        lost_ |= returns_ && (held & bit(rax));
        return;
      }
      switch (i.kind) {
        case Instruction::call:
        case Instruction::call_slot:
        case Instruction::call_unknown:
          lost_ |= hands_over(held);
          held &= kept_over_calls;
          break;
        case Instruction::jump:
          lost_ |= !function_.holds(i.target) && hands_over(held);
          come_to(i.target, held);
          if (o.opcode == 0xe9 || o.opcode == 0xeb) return;
          break;
        case Instruction::jump_unknown: return lose();
        default: held = effect(o, held);
      }
    }
  }

  static bool ends(const Operands& o) { return (o.map == 0 && (o.opcode == 0xc3 || o.opcode == 0xc2)) || (o.map == 1 && o.opcode == 0x0b); }

  static bool hands_over(Held held) { return held & (held >> 32) & arguments; }

  void lose() { lost_ = true; }

  Held with_constant_compared(Held held, Held place) {
    if (!(held & place) || of_rest_) return held;
    lost_ |= threads_;
    note_pick();
    return held;
  }

  void note_pick() {
    if (picks_ < most_picks) picked_at_[picks_++] = at_;
    else lost_ = true;
  }

  Held compared(Held held, Held one, Held other) {
    compared_ |= of_rest_ && (held & (one | other));
    lost_ |= threads_ && (held & (one | other));
    return held;
  }
  Held losing(Held held, Held mentioned) {
    lost_ |= (held & mentioned) != 0;
    return held;
  }
  static Held copied(Held held, Held from, Held to) { return held & from ? held | to | fresh(to) : held & ~to; }

  Held effect(const Operands& o, Held held) {
    Held place = !o.has_modrm ? 0 : o.in_memory ? frame_.slot(o, false) : bit(o.second);
    bool only_address = o.map == 0 && !o.vector && o.opcode == 0x8d;
    bool is_nop = o.map == 1 && !o.vector && o.opcode >= 0x18 && o.opcode <= 0x1f;
    if (is_nop) return held;
    if (o.in_memory && !only_address) losing(held, bit(o.base) | bit(o.index));
    if (o.vector || o.map) return effect_of_others(o, held, place);
    if (o.opcode < 0x40) return effect_of_arithmetic(o, held, place);
    return effect_of_rest(o, held, place);
  }

  // Two-byte opcodes and longer ones: mostly of vectors, whose registers are others.
  Held effect_of_others(const Operands& o, Held held, Held place) {
    Held both = bit(o.first) | place;
    if (o.map >= 2) {
      bool general = (o.opcode & 0xf0) == 0xf0 || (o.map == 3 && o.opcode >= 0x14 && o.opcode <= 0x22);
      return general ? losing(held, all_registers | place) : held;
    }
    if (!o.vector) {
      if ((o.opcode & 0xf0) == 0x40) return held & place ? copied(held, place, bit(o.first)) : held;  // cmov
      if (o.opcode == 0xaf) return multiplied(held, place, bit(o.first));
      if (o.opcode == 0xb6 || o.opcode == 0xb7 || o.opcode == 0xbe || o.opcode == 0xbf)
        return losing(held, place) & ~bit(o.first);
    }
    bool vectors = (o.opcode >= 0x10 && o.opcode <= 0x17) || (o.opcode >= 0x28 && o.opcode <= 0x2f) ||
                   (o.opcode >= 0x50 && o.opcode <= 0x7f) || o.opcode == 0xc2 || (o.opcode >= 0xc4 && o.opcode <= 0xc6) || o.opcode >= 0xd0;
    bool general_too = o.opcode == 0x2a || o.opcode == 0x2c || o.opcode == 0x2d || o.opcode == 0x50 || o.opcode == 0x6e ||
                       o.opcode == 0x7e || o.opcode == 0xc4 || o.opcode == 0xc5 || o.opcode == 0xd7;
    return losing(held, !vectors ? both | bit(rax) | bit(rcx) | bit(rdx) : general_too ? both : place & all_slots);
  }

  Held multiplied(Held held, Held by, Held to) { return threads_ ? copied(held, by | to, to) : held & ~to; }

  Held added(Held held, Held from, Held to) {
    if (!(held & (from | to))) return held;
    if (!to) return lose(), held;  // memory that others see
    steps_ = true;
    return threads_ ? held & ~to : copied(held, from | to, to);
  }

  Held effect_of_arithmetic(const Operands& o, Held held, Held place) {
    enum { add, or_, adc, sbb, and_, sub, xor_, cmp };
    int what = o.opcode >> 3, form = o.opcode & 7;
    if (what == cmp && form >= 4) return with_constant_compared(held, bit(rax));
    if (what == cmp) return compared(held, bit(o.first), place);
    if (form == 5) return what == add || what == sub ? held : losing(held, bit(rax));  // with a constant
    bool to_place = form == 1;
    Held from = to_place ? bit(o.first) : place, to = to_place ? place : bit(o.first);
    if (form != 1 && form != 3) return losing(held, from | to | bit(rax));
    bool same = !o.in_memory && o.first == o.second;
    if (same && (what == xor_ || what == sub)) return held & ~to;
    if (what == add || what == sub) return added(held, from, to);
    if (what == or_ && (held & (from | to))) note_pick();  // are both 0?
    if (what == or_ && to) return copied(held, from | to, to) & ~fresh(to);  // for a look at the upper halves of both
    return losing(held, from | to);
  }

  Held with_constant(const Operands& o, Held held, Held place) {
    enum { add, sub = 5, cmp = 7 };
    int what = o.first & 7;
    if (!o.in_memory && o.second == rsp) {  // the frame moves: at its end, up
      if (what != add) lost_ |= (held & all_slots) != 0;
      return held & ~all_slots;
    }
    if (what == cmp) return with_constant_compared(held, place);
    return what == add || what == sub ? held : losing(held, place);
  }

  Held address(const Operands& o, Held held) {
    Held to = bit(o.first), from = held & (bit(o.base) | bit(o.index));
    if (!from) return held & ~to;
    bool sum = o.base >= 0 && o.index >= 0;
    if (sum && threads_ && o.scale == 1) return steps_ = true, held & ~to;
    return copied(held, from, to);
  }

  Held divided(const Operands& o, Held held, Held place) {
    int what = o.first & 7;
    if (what < 2) return with_constant_compared(held, place);  // test
    if (what < 4) return held;                 // not, neg
    Held product = bit(rax) | bit(rdx);
    if (what < 6) return threads_ ? copied(held, place | bit(rax), product) : held & ~product;
    losing(held, threads_ ? product : product | place);
    if (threads_ && (held & place)) note_division();
    return held & ~product & ~fresh(place);
  }

  void note_division() {
    divided_by_ = true;
    std::uintptr_t behind = at_ + read_instruction(bytes_at(at_), bytes_at(at_ + longest)).length;
    if (divisions_ < most_divisions) behind_division_[divisions_++] = behind;
  }

  Held moved(const Operands& o, Held held) {
    Held from = bit(o.first);
    if (!o.in_memory) return copied(held, from, bit(o.second));
    Held slot = frame_.slot(o, (held & from) != 0);
    lost_ |= (held & from) && !slot;
    return copied(held, from, slot);
  }

  Held effect_of_rest(const Operands& o, Held held, Held place) {
    int op = o.opcode;
    Held first = bit(o.first);
    if (o.narrow && op != 0x90 && op != 0x66) return losing(held, first | place | bit(rax));
    if (op >= 0x50 && op <= 0x57) return losing(held, bit(o.in_opcode) | all_slots);
    if (op >= 0x58 && op <= 0x5f) return held & ~bit(o.in_opcode);
    if (op >= 0xb8 && op <= 0xbf) return held & ~bit(o.in_opcode);
    if (op >= 0x91 && op <= 0x97) return losing(held, bit(rax) | bit(o.in_opcode));
    if (op >= 0xb0 && op <= 0xb7) return losing(held, bit(o.in_opcode));
    if (op >= 0xd8 && op <= 0xdf) return losing(held, place & all_slots);
    switch (op) {
      case 0x63: case 0x8b: return copied(held, place, first);
      case 0x69: case 0x6b: return copied(held, place, first);
      case 0x68: case 0x6a: return losing(held, all_slots);
      case 0x81: case 0x83: return with_constant(o, held, place);
      case 0x84: case 0x85: return with_constant_compared(held, first | place);
      case 0xa8: case 0xa9: return with_constant_compared(held, bit(rax));
      case 0x98: return held;
      case 0x90: return losing(held, o.in_opcode ? bit(rax) | bit(o.in_opcode) : 0);
      case 0x89: return moved(o, held);
      case 0x8d: return address(o, held);
      case 0x99: return losing(held, bit(rax)) & ~bit(rdx);
      case 0xc1: case 0xd1: return (o.first & 7) >= 4 ? held : losing(held, place);
      case 0xc6: return losing(held, o.in_memory ? 0 : place);
      case 0xc7: return held & ~place;
      case 0xc9: return held & ~(all_slots | bit(rbp));
      case 0xcc: return held;
      case 0xf7: return divided(o, held, place);
      case 0xff: return (o.first & 7) < 2 ? held : losing(held, place | all_slots);
      default: return losing(held, first | place | bit(rax) | bit(rcx) | bit(rsi) | bit(rdi));
    }
  }

  const Object& object_;
  Function function_;
  Frame frame_;
  bool threads_, returns_;
  static constexpr int most_divisions = 4, most_picks = 16;

  bool lost_ = false, steps_ = false;
  bool of_rest_ = false, compared_ = false, divided_by_ = false;
  std::uintptr_t at_ = 0;  // the instruction that is looked at
  std::uintptr_t behind_division_[most_divisions], picked_at_[most_picks];
  int taken_ = 0, count_ = 0, divisions_ = 0, picks_ = 0;
  Point points_[most_points];
};

// Of OpenMP, where a loop is shared out, or all wait for each other: what an iteration of such a loop never calls.
constexpr const char* sharing[] = {"omp_get_num_threads", "GOMP_barrier", "GOMP_loop_", "GOMP_sections", "__kmpc_barrier", "__kmpc_for_static_init",
                                   "__kmpc_dispatch_next"};

bool shares_out_within(const Object& object, const Flow& flow, const Flow::Blocks& loop) {
  for (int block = 0; block < flow.count(); ++block) {
    if (!loop[static_cast<std::size_t>(block)]) continue;
    Function code = flow.code_of(block);
    for (std::uintptr_t at = code.begin; at < code.end;) {
      Instruction i = read_instruction(bytes_at(at), bytes_at(code.end));
      bool calls = i.kind == Instruction::call || i.kind == Instruction::call_slot;
      std::uintptr_t slot = !calls ? 0 : i.kind == Instruction::call_slot ? i.target : object.slot_of_stub(i.target);
      const char* name = slot ? object.name_of_slot(slot) : nullptr;
      if (name && base::starts_with_one(name, sharing)) return true;
      at += i.length ? i.length : 1;
    }
  }
  return false;
}

// Is it no part of an iteration of a loop that is shared out; and does no loop follow on each of the two ways that the other does not lead to?
bool is_beside_loops(const Object& object, const Flow& flow, int block) {
  int ways[2] = {flow.next(block, 0), flow.next(block, 1)};
  if (flow.is_in_loop(block) && !shares_out_within(object, flow, flow.loop_around(block))) return false;
  if (ways[0] < 0 || ways[1] < 0) return false;
  Flow::Blocks after[2] = {flow.after(ways[0], {}), flow.after(ways[1], {})};
  bool alone[2] = {};
  for (int way : {0, 1}) {
    after[way][static_cast<std::size_t>(ways[way])] = true;
    for (int other = 0; other < flow.count(); ++other) {
      auto bit = static_cast<std::size_t>(other);
      alone[way] |= flow.is_in_loop(other) && after[way][bit] && !after[1 - way][bit] && ways[1 - way] != other;
    }
  }
  return !alone[0] || !alone[1];
}

}  // namespace

Use use_of_number(const Object& object, Function function, std::uintptr_t after, Number number, bool returns) {
  return Trail(object, function, number, returns).follow(after);
}

Picked picked_by_number(const Object& object, Function function, std::uintptr_t after) {
  Trail trail(object, function, Number::of_this_thread, false);
  trail.follow(after);
  if (!trail.picks()) return Picked::never;
  Flow flow(function);
  if (!flow.fits()) return Picked::in_loop;
  flow.find_ways();
  for (int p = 0; p < trail.picks(); ++p) {
    if (!function.holds(trail.pick(p)) || !is_beside_loops(object, flow, flow.block_at(trail.pick(p)))) return Picked::in_loop;
  }
  return Picked::beside_loops;
}

}  // namespace weir::lane
