// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::sys {

// Valgrind's client requests, as its manual has them: four rotations that do nothing on a processor.
inline unsigned long valgrind_request(unsigned long request, unsigned long a = 0, unsigned long b = 0) {
  volatile unsigned long words[6] = {request, a, b, 0, 0, 0};
  unsigned long result = 0;
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "+d"(result)
      : "a"(&words[0])
      : "cc", "memory");
  return result;
}

inline bool under_valgrind() { return valgrind_request(0x1001) != 0; }

// There is a stack: a stack pointer that moves into it is a switch, not an overflow.
inline void tell_valgrind_of_stack(const void* low, const void* high) {
  valgrind_request(0x1501, reinterpret_cast<unsigned long>(low), reinterpret_cast<unsigned long>(high));
}

}  // namespace weir::sys
