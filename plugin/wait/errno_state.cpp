// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_state.h"

#include <emmintrin.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/thread.h"
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

ToBeFilled::ToBeFilled(const void* from, std::size_t bytes) {
  base::self().filled = from;
  base::self().filled_bytes = bytes;
}
ToBeFilled::~ToBeFilled() { base::self().filled = nullptr; }

namespace {

// Whole words of what is to be filled, as far as they lie between the two; neither's end else.
struct Hole {
  const std::uintptr_t *from, *end;
  Hole(const std::uintptr_t* low, const std::uintptr_t* high) : from(high), end(high) {
    constexpr std::uintptr_t size = sizeof *low;
    base::Thread& thread = base::self_unsuspended();
    auto first = (reinterpret_cast<std::uintptr_t>(thread.filled) + size - 1) / size * size;
    auto last = (reinterpret_cast<std::uintptr_t>(thread.filled) + thread.filled_bytes) / size * size;
    bool lies_between = first >= reinterpret_cast<std::uintptr_t>(low) && last <= reinterpret_cast<std::uintptr_t>(high) && first < last;
    if (!thread.filled || !lies_between) return;
    from = reinterpret_cast<const std::uintptr_t*>(first);
    end = reinterpret_cast<const std::uintptr_t*>(last);
  }
};

__attribute__((no_sanitize("address", "undefined", "thread"))) bool lies_between(
    const std::uintptr_t* from, const std::uintptr_t* end, std::uintptr_t word) {
  // Its lower half first, of eight at a time: next to nothing has that.
  constexpr int at_once = 8;
  const __m128i half = _mm_set1_epi32(static_cast<int>(word));
  __m128i found = _mm_setzero_si128();
  const std::uintptr_t* const last = from + (end - from) / at_once * at_once;
  for (const std::uintptr_t* at = from; at != last; at += at_once) {
    const auto* words = reinterpret_cast<const __m128i*>(at);
    const __m128i first = _mm_or_si128(_mm_cmpeq_epi32(half, _mm_loadu_si128(words)), _mm_cmpeq_epi32(half, _mm_loadu_si128(words + 1)));
    const __m128i second =
        _mm_or_si128(_mm_cmpeq_epi32(half, _mm_loadu_si128(words + 2)), _mm_cmpeq_epi32(half, _mm_loadu_si128(words + 3)));
    found = _mm_or_si128(found, _mm_or_si128(first, second));
  }
  if (!_mm_movemask_epi8(found)) from = last;
  while (from < end && *from != word) ++from;
  return from < end;
}

}  // namespace

// weir_keeps(end, word): puts what callers keep in registers onto the stack, and looks from there on.
extern "C" __attribute__((visibility("hidden"))) bool weir_keeps(const void* end, std::uintptr_t word);
extern "C" __attribute__((visibility("hidden"), used, no_sanitize("address", "undefined", "thread"))) bool weir_lies_on_stack(
    const std::uintptr_t* from, const std::uintptr_t* end, std::uintptr_t word) {
  constexpr std::ptrdiff_t most = 128 * 1024 / sizeof word;
  const Hole hole(from, end);
  base::self_unsuspended().filled = nullptr;
  if (end - from - (hole.end - hole.from) > most) return true;
  return lies_between(from, hole.from, word) || lies_between(hole.end, end, word);
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
