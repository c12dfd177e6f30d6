// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_rounds.h"

#include "base/names.h"
#include "lane/arithmetic.h"
#include "omp_ext/region_body.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_joint.h"
#include "omp_ext/region_part.h"

namespace weir::team {
namespace {

using lane::Flow;
using lane::Function;
using lane::Instruction;
using lane::Object;

bool goes_there(const Instruction& i) { return is_call(i) || i.kind == Instruction::jump; }

// Floating-point numbers that the processor has no instructions for.
bool is_wide_arithmetic(Named named) {
  static constexpr const char* those[] = {"__addtf3", "__subtf3", "__multf3", "__divtf3", "__addxf3", "__bid_addtd3", "__bid_subtd3",
                                          "__bid_multd3", "__bid_divtd3", "__bid_adddd3", "__bid_subdd3", "__bid_muldd3", "__bid_divdd3"};
  return named.name && base::among(named.name, those);
}

// One that gives other digits, in several numbers at once, than what the rest of a loop calls.
bool is_of_vectors(Named named) { return named.name && base::starts(named.name, "_ZGV"); }

// A register of the other kind, that may hold such a number, to memory.
bool stores_bits(const std::uint8_t* at, const std::uint8_t* end) {
  lane::Operands o = lane::read_operands(at, end);
  return o.length && !o.map && !o.vector && o.opcode == 0x89 && o.in_memory && o.base != lane::rsp;
}

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
      rounds |= lane::rounds(lane::bytes_at(at), lane::bytes_at(function.end)) || is_wide_arithmetic(named);
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
    joint_.find(flow_);
  }

  Rounding rounding() const {
    Rounding found;
    if (!flow_.fits() || !is_shared_by_number(object_, flow_)) return found;
    bool stored_alone = false, bits_stored = false, compared_alone = false, largest_exchanged = false, added = false;
    each_instruction(object_, flow_, [&](int block, const Instruction& i, std::uintptr_t at, Named named) {
      if (found.of_sum) return;
      const std::uint8_t *code = lane::bytes_at(at), *end = lane::bytes_at(flow_.code_of(block).end);
      bool makes_one = joint_.makes_one(block, at), exchanges = joint_.exchanges(block);
      if ((makes_one || has_own_lock_) && !flow_.is_in_loop(block)) {
        stored_alone |= lane::stores_number(code, end);
        bits_stored |= stores_bits(code, end);
        compared_alone |= lane::compares_numbers(code, end);
      }
      largest_exchanged |= exchanges && lane::compares_numbers(code, end);
      bool looped = flow_.is_in_loop(block);
      if (looped && (lane::approximates(code, end) || is_of_vectors(named))) found.of_sum = true;  // the rest of a share is computed otherwise
      if (goes_there(i)) found.of_sum |= calls_for_sum(function_of(object_, named), makes_one);
      added |= looped && (lane::adds_numbers(code, end) || is_wide_arithmetic(named));
      if (!lane::rounds(code, end) && !is_wide_arithmetic(named)) return;
      found.computes = true;
      found.of_sum |= makes_one || exchanges || is_wide_arithmetic(named);
    });
    // The sum is made of what was put aside, one for each thread; or the largest of the threads' sums is looked for.
    stored_alone |= bits_stored && compared_alone;
    found.of_sum |= (stored_alone && (!compared_alone || added)) || (largest_exchanged && added);
    return found;
  }

 private:
  void note(int block, const Instruction& i, std::uintptr_t at, Named named) {
    has_own_lock_ |= lane::swaps(lane::bytes_at(at), lane::bytes_at(flow_.code_of(block).end));
    joint_.note(object_, flow_, block, i, at, named);
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
  Joint joint_;
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
