// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_largest.h"

#include <algorithm>

#include "lane/arithmetic.h"
#include "lane/instruction.h"
#include "lane/place.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_joint.h"
#include "omp_ext/region_origin.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;
using lane::Operands;
using lane::Place;

Operands operands_at(std::uintptr_t at, Function code) { return lane::read_operands(lane::bytes_at(at), lane::bytes_at(code.end)); }

bool is_comparison(const Operands& o) { return o.length && !o.map && !o.vector && (o.opcode == 0x39 || o.opcode == 0x3b); }

// By a vector, too, and what is beside it.
bool stores(const Operands& o) {
  bool plain = !o.map && !o.vector && o.opcode == 0x89;
  return o.length && o.in_memory && (plain || lane::stores_vector(o));
}

// As far as the addresses look the same. (A pointer may be loaded anew, into another register.)
bool covers(const Operands& stored, const Operands& there) {
  if (stored.base < 0) return there.base < 0;
  std::int64_t behind = std::int64_t{there.displacement} - stored.displacement;
  return there.base >= 0 && stored.index == there.index && behind >= 0 && behind < std::max(stored.bytes, 1);
}

class Largest {
 public:
  Largest(const Object& object, Function function) : object_(object), function_(function), flow_(function), places_(function) {
    if (!flow_.fits()) return;
    each_instruction(object_, flow_, [this](int block, const Instruction& i, std::uintptr_t at, Named named) {
      joint_.note(object_, flow_, block, i, at, named);
    });
    flow_.find_ways();
    joint_.find(flow_);
  }

  bool looks_for_count() {
    if (!flow_.fits() || !is_shared_by_number(object_, flow_)) return false;
    find_shared();
    Origins origins(object_, function_, flow_, shared_, false, Origins::Sought::counts);
    for (int block = 0; block < flow_.count() && !origins.counted(); ++block) {
      bool exchanged = joint_.exchanges(block);
      Function code = flow_.code_of(block);
      for (std::uintptr_t at = code.begin; at < code.end && !origins.counted();) {
        Operands o = operands_at(at, code);
        if ((exchanged || joint_.makes_one(block, at)) && is_comparison(o)) follow(origins, o, block, at, exchanged);
        at += o.length ? o.length : 1;
      }
    }
    return origins.counted();
  }

 private:
  // The loops where threads count: not where they make one of all.
  void find_shared() {
    for (int block = 0; block < flow_.count(); ++block) {
      bool joins = joint_.exchanges(block) || joint_.makes_one(block, flow_.code_of(block).begin);
      shared_[static_cast<std::size_t>(block)] = flow_.is_in_loop(block) && !joins;
    }
  }

  void follow(Origins& origins, const Operands& o, int block, std::uintptr_t at, bool exchanged) {
    Place first{o.first, false, 0}, second = places_.second_of(o);
    bool with_memory = o.in_memory && !second;
    if (with_memory && !exchanged && !is_stored_to(o)) return;
    bool either = exchanged || with_memory || loads_what_is_stored(first, block, at) || loads_what_is_stored(second, block, at);
    if (!either) return;
    origins.follow({first, block, at});
    if (second) origins.follow({second, block, at});
  }

  // Was it loaded, in this block, from memory that is stored to?
  bool loads_what_is_stored(const Place& place, int block, std::uintptr_t before) const {
    if (!place || place.slot) return false;
    Operands from;
    Function code = flow_.code_of(block);
    for (std::uintptr_t at = code.begin; at < before;) {
      Operands o = operands_at(at, code);
      bool loads = o.length && !o.map && !o.vector && o.opcode == 0x8b && o.first == place.base && o.in_memory && !places_.second_of(o);
      if (loads) from = o;
      else if (places_.change(place, lane::read_instruction(lane::bytes_at(at), lane::bytes_at(code.end)), o).what != lane::Change::nothing) from = {};
      at += o.length ? o.length : 1;
    }
    return from.length && is_stored_to(from);
  }

  bool is_stored_to(const Operands& there) const {
    for (int block = 0; block < flow_.count(); ++block) {
      Function code = flow_.code_of(block);
      for (std::uintptr_t at = code.begin; at < code.end;) {
        Operands o = operands_at(at, code);
        if (stores(o) && !places_.second_of(o) && covers(o, there) && joint_.makes_one(block, at)) return true;
        at += o.length ? o.length : 1;
      }
    }
    return false;
  }

  Object object_;
  Function function_;
  Flow flow_;
  lane::Places places_;
  Joint joint_;
  Flow::Blocks shared_;
};

}  // namespace

bool looks_for_largest_count(std::uintptr_t code) {
  Object object = Object::around(code);
  Function function = object.valid() ? object.starting_at(code) : Function{};
  if (!function || !Origins::take_room()) return false;
  bool looks = Largest(object, function).looks_for_count();
  Origins::leave_room();
  return looks;
}

}  // namespace weir::team
