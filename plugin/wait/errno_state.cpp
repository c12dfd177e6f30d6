// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_state.h"

#include <emmintrin.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "sys/valgrind.h"

namespace weir::wait {

__attribute__((noinline)) int take_errno() {
  int value = errno;
  asm volatile("" : "+r"(value));
  return value;
}

__attribute__((noinline)) void put_back_errno(int value) {
  asm volatile("" : "+r"(value));
  errno = value;
}

// weir_keeps(end, word): puts what callers keep in registers onto the stack, and looks from there on.
extern "C" __attribute__((visibility("hidden"))) bool weir_keeps(const void* end, std::uintptr_t word);
extern "C" __attribute__((visibility("hidden"), used, no_sanitize("address", "undefined", "thread"))) bool weir_lies_on_stack(
    const std::uintptr_t* from, const std::uintptr_t* end, std::uintptr_t word) {
  constexpr std::ptrdiff_t most = 128 * 1024 / sizeof word;
  if (end - from > most) return true;
  // Its lower half first, of four at a time: next to nothing has that.
  const __m128i half = _mm_set1_epi32(static_cast<int>(word));
  __m128i found = _mm_setzero_si128();
  const std::uintptr_t* at = from;
  for (; end - at >= 4; at += 4) {
    found = _mm_or_si128(found, _mm_cmpeq_epi32(half, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at))));
    found = _mm_or_si128(found, _mm_cmpeq_epi32(half, _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 2))));
  }
  if (!_mm_movemask_epi8(found)) from = at;
  while (from < end && *from != word) ++from;
  return from < end;
}
asm(R"(
        .text
        .globl  weir_keeps
        .hidden weir_keeps
        .type   weir_keeps, @function
weir_keeps:
        .cfi_startproc
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        movq    %rsi, %rdx
        movq    %rdi, %rsi
        movq    %rsp, %rdi
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    weir_lies_on_stack
        addq    $56, %rsp
        .cfi_adjust_cfa_offset -56
        ret
        .cfi_endproc
        .size   weir_keeps, .-weir_keeps
)");

// (Else the address itself would stand in a register that is kept.)
__attribute__((noinline)) bool keeps_errno(const void* end) {
  if (sys::under_valgrind()) return true;  // which would tell of each word that was never written
  return weir_keeps(end, reinterpret_cast<std::uintptr_t>(&errno));
}

}  // namespace weir::wait
