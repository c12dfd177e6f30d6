// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_rounds.h"

#include "lane/arithmetic.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_part.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;

class Sums {
 public:
  Sums(const Object& object, Function function) : object_(object), flow_(function) {
    if (!flow_.fits()) return;
    auto note_each = [this](int block, const Instruction& i, std::uintptr_t at, Named named) { note(block, i, at, named); };
    each_instruction(object_, flow_, note_each);
    reduction_.find(flow_);
    alone_.find(flow_);
  }

  Rounding rounding() const {
    Rounding found;
    if (!shares_by_number_ || takes_pieces_) return found;
    each_instruction(object_, flow_, [&](int block, const Instruction&, std::uintptr_t at, Named) {
      if (found.of_sum || !lane::rounds(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end))) return;
      found.computes = true;
      found.of_sum = reduction_.holds(block, at) || alone_.holds(block, at) || (flow_.loop_around(block) & exchanges_).any();
    });
    return found;
  }

 private:
  void note(int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (lane::exchanges(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end))) exchanges_[static_cast<std::size_t>(block)] = true;
    if (!named.name || i.kind == Instruction::loads_slot) return;
    switch (part_of_name(named.name)) {
      case Part::takes_piece: takes_pieces_ = true; return;
      case Part::share_begins:
      case Part::first_enters:
      case Part::asks_number: shares_by_number_ = true; return;
      case Part::reduces: return reduction_.mark(block, at, false);
      case Part::alone_begins: return alone_.mark(block, at, false);
      case Part::alone_ends: return alone_.mark(block, at, true);
      default: return;
    }
  }

  Object object_;
  Flow flow_;
  Zone reduction_, alone_;
  Flow::Blocks exchanges_;  // those that write what they made only if nobody else wrote meanwhile
  bool shares_by_number_ = false, takes_pieces_ = false;
};

}  // namespace

Rounding rounding_of(std::uintptr_t code) {
  Object object = Object::around(code);
  if (!object.valid()) return {};
  Function function = object.starting_at(code);
  return function ? Sums(object, function).rounding() : Rounding{};
}

}  // namespace weir::team
