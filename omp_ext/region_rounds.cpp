// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_rounds.h"

#include "lane/arithmetic.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_part.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;

bool goes_there(const Instruction& i) { return is_call(i) || i.kind == Instruction::jump; }

// Of a function that the region calls: it computes with such numbers, or adds them to others' with nobody else at it. What it calls in its
// turn is part of it.
struct Joining {
  bool rounds = false, joins = false;

  void read(std::uintptr_t start, int depth) {
    Object object = Object::around(start);
    Function function = object.valid() && !object.is_runtime() ? object.starting_at(start) : Function{};
    if (!function || function.end - function.begin > longest - bytes_) return;
    bytes_ += function.end - function.begin;
    for (std::uintptr_t at = function.begin; at < function.end;) {
      Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(function.end));
      Named named = named_by(object, i);
      rounds |= lane::rounds(lane::bytes_at(at), lane::bytes_at(function.end));
      joins |= lane::exchanges(lane::bytes_at(at), lane::bytes_at(function.end)) || (named.name && begins_alone(named.name));
      if (named.function && goes_there(i) && named.function != start && depth) read(named.function, depth - 1);
      at += i.length ? i.length : 1;
    }
  }
  static bool begins_alone(const char* name) { return locks(name) || part_of_name(name) == Part::alone_begins; }

 private:
  static constexpr std::uintptr_t longest = 8192;  // of all together

  std::uintptr_t bytes_ = 0;
};

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
    if (!flow_.fits() || !is_shared_by_number(object_, flow_)) return found;
    bool stored_alone = false, compared_alone = false;
    int last = -1;
    bool exchanges = false;  // in the loop around the last block that rounds
    each_instruction(object_, flow_, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
      if (found.of_sum) return;
      const std::uint8_t *code = lane::bytes_at(at), *end = lane::bytes_at(flow_.code_of(block).end);
      bool alone = alone_.holds(block, at), makes_one = alone || reduction_.holds(block, at);
      if ((alone || has_own_lock_) && !flow_.is_in_loop(block)) {
        stored_alone |= lane::stores_number(code, end);
        compared_alone |= lane::compares_numbers(code, end);
      }
      if (goes_there(i)) found.of_sum = calls_for_sum(function_of(object_, named), makes_one);
      if (!lane::rounds(code, end)) return;
      found.computes = true;
      if (block != last) exchanges = exchanges_.any() && (flow_.loop_around(block) & exchanges_).any();
      last = block;
      found.of_sum = makes_one || exchanges;
    });
    found.of_sum |= stored_alone && !compared_alone;  // the sum is made of what was put aside, one for each thread
    return found;
  }

 private:
  void note(int block, const Instruction& i, std::uintptr_t at, Named named) {
    if (lane::exchanges(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end))) exchanges_[static_cast<std::size_t>(block)] = true;
    has_own_lock_ |= lane::swaps(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end));
    mark_alone(alone_, object_, block, i, at, named);
    if (!named.name || i.kind == Instruction::loads_slot) return;
    if (part_of_name(named.name) == Part::reduces) reduction_.mark(block, at, false);
  }

  static bool calls_for_sum(std::uintptr_t function, bool makes_one) {
    constexpr int most_deep = 6;
    if (!function) return false;
    Joining joining;
    joining.read(function, most_deep);
    return joining.rounds && (makes_one || joining.joins);
  }

  Object object_;
  Flow flow_;
  Zone reduction_, alone_;
  Flow::Blocks exchanges_;  // those that write what they made only if nobody else wrote meanwhile
  bool has_own_lock_ = false;  // one that it takes by changing memory, as who spins for it does
};

}  // namespace

Rounding rounding_of(std::uintptr_t code) {
  Object object = Object::around(code);
  if (!object.valid()) return {};
  Function function = object.starting_at(code);
  return function ? Sums(object, function).rounding() : Rounding{};
}

}  // namespace weir::team
