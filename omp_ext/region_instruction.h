// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// What one x86-64 instruction means to who only asks where code may go next.
struct Instruction {
  enum Kind : std::uint8_t {
    other,
    call,           // to `target`
    jump,           // to `target`, conditional or not
    call_slot,      // through the pointer at `target`: call or jump *name@GOT(%rip)
    call_unknown,   // through a register or another memory operand
    jump_unknown,   // the same, as a jump
    loads_slot,     // a register becomes the pointer at `target`
    takes_address,  // a register becomes `target`
  };
  Kind kind = other;
  std::uint8_t length = 0;        // 0: not understood
  std::uintptr_t target = 0;
};

// The instruction at `at`, read no further than `end`.
Instruction read_instruction(const std::uint8_t* at, const std::uint8_t* end);

}  // namespace weir::team
