// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::lane {

// As instructions number them.
enum Register { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };
// Where a function's first arguments are when it is called.
inline constexpr Register argument_registers[] = {rdi, rsi, rdx, rcx, r8, r9};

inline const std::uint8_t* bytes_at(std::uintptr_t address) { return reinterpret_cast<const std::uint8_t*>(address); }

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

// May it stand before an instruction's opcode?
constexpr bool is_old_prefix(std::uint8_t b) {
  return b == 0x66 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65 || b == 0x67 || b == 0xf0;
}
constexpr bool is_rex(std::uint8_t b) { return (b & 0xf0) == 0x40; }

// The instruction at `at`, read no further than `end`.
Instruction read_instruction(const std::uint8_t* at, const std::uint8_t* end);

// The same to who asks where a value goes: its parts, as the encoding has them.
struct Operands {
  std::uint8_t length = 0;  // 0: not understood
  int map = 0;              // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
  std::uint8_t opcode = 0;
  bool vector = false;      // VEX or EVEX
  std::uint8_t prefix = 0;  // 66, F2 or F3, or what stands for it there
  int third = -1;           // VEX's and EVEX's further register
  bool masked = false;      // EVEX: not all of it, perhaps
  int bytes = 0;            // that a move between vectors and memory moves; 0: none, or not known
  bool narrow = false;      // a 16-bit operand
  bool wide = false;        // of 64 bits
  bool has_modrm = false;
  bool in_memory = false;   // the second operand, at base + index * scale + displacement
  int first = 0;            // a register, or part of the opcode
  int second = 0;           // a register, unless it is in memory
  int base = -1, index = -1, scale = 1;
  std::int32_t displacement = 0;
  std::int64_t immediate = 0;
  int in_opcode = 0;        // the register that the opcode's last bits name
};
Operands read_operands(const std::uint8_t* at, const std::uint8_t* end);

// Both, read once.
struct Understood {
  Instruction instruction;
  Operands operands;
};
Understood read_both(const std::uint8_t* at, const std::uint8_t* end);

}  // namespace weir::lane
