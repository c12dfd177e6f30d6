// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "lane/instruction.h"

namespace weir::lane {

// What a register or a piece of memory holds; empty: not known.
using Word = std::optional<std::uint64_t>;

// What a conditional jump looks at: the last comparison, or what was made.
class Flags {
 public:
  void of_difference(Word a, Word b, int bytes) { set(difference, a, b, bytes); }
  void of_bits(Word result, int bytes) { set(bits, result, 0, bytes); }      // of and, or, xor, test: nothing is carried
  void of_result(Word result, int bytes) { set(result_alone, result, 0, bytes); }  // what was carried is not kept
  void forget() { set(nothing, {}, {}, 0); }
  // Do they meet the condition that an opcode's last four bits name? Empty: not known.
  std::optional<bool> meet(int condition) const;

 private:
  enum Kind : std::uint8_t { nothing, difference, bits, result_alone };
  void set(Kind kind, Word a, Word b, int bytes) { kind_ = kind, a_ = a, b_ = b, bytes_ = bytes; }

  Kind kind_ = nothing;
  Word a_, b_;
  int bytes_ = 0;
};

// Registers, flags and a stack of a thread that does not run: its code is gone through for pretence. What it reads from memory is what is
// there now; what it writes goes to its own stack, or is lost.
class Pretence {
 public:
  Pretence() { registers_[rsp] = stack_begin; }

  Word in(int of) const { return of < 0 ? Word() : registers_[of & 15]; }
  void put(int into, Word value, bool wide);
  void forget(int of) { put(of, {}, true); }
  void forget_what_calls_change();
  void forget_stack() { count_ = 0; }
  void handed_out(std::uint64_t address);  // who is called may write there, or behind it

  Word address_of(const Operands& o, const Instruction& i) const;
  Word load(Word address, int bytes) const;
  void store(Word address, Word value, int bytes);

  Flags flags;

 private:
  static constexpr std::uint64_t stack_begin = std::uint64_t{5} << 60, stack_bytes = 1 << 24;  // where no memory is
  static constexpr int most = 64;

  struct Slot {
    std::uint64_t address, value;
    int bytes;
  };
  static bool is_on_stack(std::uint64_t address) { return address - (stack_begin - stack_bytes) < 2 * stack_bytes; }

  Word registers_[16];
  std::uint64_t handed_out_ = ~std::uint64_t{0};  // the lowest on the stack
  int count_ = 0;
  Slot slots_[most];
};

}  // namespace weir::lane
