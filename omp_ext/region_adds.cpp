// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_adds.h"

#include <cstddef>
#include <new>

#include "lane/arithmetic.h"
#include "lane/constants.h"
#include "lane/instruction.h"
#include "lane/place.h"
#include "omp_ext/region_origin.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::Operands;
using lane::Place;

Place in(int of) { return {of, false, 0}; }

// How opcodes of arithmetic tell what they do, and where to.
constexpr int is_add = 0, is_sub = 5;
bool is_plain(const Operands& o) { return o.length && o.map == 0 && !o.vector && o.has_modrm; }
bool adds(const Operands& o) {
  int what = o.opcode >> 3;
  return is_plain(o) && (o.opcode & 7) < 4 && (what == is_add || what == is_sub);
}
bool adds_to_second(const Operands& o) { return (o.opcode & 7) < 2; }

alignas(Flow) constinit std::byte room_of_called[sizeof(Flow)]{};  // whose the room of Origins is

class Adding {
 public:
  Adding(const Object& object, Function function, const Flow& flow, const Beside& beside, bool is_called)
      : object_(object), flow_(flow), places_(function), beside_(beside), origins_(object, function, flow, beside.shared, is_called),
        is_called_(is_called) {}

  bool finds_own() {
    look_in_each(&Adding::look_in);
    if (!own()) look_in_each(&Adding::look_at_calls);
    return own();
  }

  // Of a function that is called: which of its arguments it adds, a bit for each.
  unsigned finds_arguments() {
    look_in_each(&Adding::look_in);
    return origins_.arguments();
  }

 private:
  void look_in_each(void (Adding::*look)(int block)) {
    for (int block = 0; block < flow_.count() && !own(); ++block) {
      if (flow_.may_pass(block) && !is_shared(block)) (this->*look)(block);
    }
  }

  bool is_shared(int block) const { return beside_.shared[static_cast<std::size_t>(block)]; }
  bool own() const { return own_ || origins_.own(); }

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
    for (std::uintptr_t at = code.begin; at < code.end && !own();) {
      Operands o = lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end));
      if (!origins_.has_time()) own_ = true;
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
    for (std::uintptr_t at = code.begin; at < code.end && !own();) {
      Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end));
      Named named = is_call(i) || i.kind == Instruction::jump ? named_by(object_, i) : Named{};  // the last call of all may be a jump
      unsigned added = named.function && !beside_.share.holds(block, at) && followed_ < most_followed ? arguments_added(named.function) : 0;
      for (int of : lane::argument_registers) {
        if (added & 1u << of) origins_.follow({in(of), block, at});
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
    if (o.in_memory && (fetches(o) || (adds(o) && adds_to_second(o)))) origins_.follow({in(o.first), block, at});
  }

  // By one instruction, or what was loaded is added to, and stored again.
  void added_alone(int block, std::uintptr_t at, const Operands& o) {
    if (!adds(o)) return;
    Place second = places_.second_of(o), first = in(o.first);
    std::uintptr_t behind = at + o.length;
    if (!second) {
      if (adds_to_second(o) || is_stored(o, o.first, block, behind)) origins_.follow({first, block, at});
      return;
    }
    Place to = adds_to_second(o) ? second : first, by = adds_to_second(o) ? first : second;
    if (to.slot) return;
    if (is_loaded(to.base, block, at, to.base, behind)) origins_.follow({by, block, at});
    else if (!by.slot && is_loaded(by.base, block, at, to.base, behind)) origins_.follow({to, block, at});
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

  static constexpr int most_followed = 32;

  const Object& object_;
  const Flow& flow_;
  lane::Places places_;
  Beside beside_;
  Origins origins_;
  bool is_called_, own_ = false;
  int followed_ = 0;
};

}  // namespace

bool adds_its_own(const Object& object, Function function, const Flow& flow, const Beside& beside) {
  if (!Origins::take_room()) return true;
  bool own = Adding(object, function, flow, beside, false).finds_own();
  Origins::leave_room();
  return own;
}

}  // namespace weir::team
