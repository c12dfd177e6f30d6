// SPDX-License-Identifier: Apache-2.0
// ordered(n) with depend(sink) in code by gcc. LLVM's entry points for the wait look for how many loops there are before
// they ask whether anybody is to be waited for; in a team of one nothing was written there, and the program dies.
#include "omp_ext/libomp.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"

namespace weir::omp {
namespace {

constinit Next<void(long, ...)> next_wait{"GOMP_doacross_wait"};
constinit Next<void(unsigned long long, ...)> next_ull_wait{"GOMP_doacross_ull_wait"};
constinit Next<int()> next_num_threads{"omp_get_num_threads"};

void nothing() {}

// One thread runs all iterations in their order: what it would wait for is done.
template <typename F>
void* who_waits(Next<F>& next) {
  if (next_num_threads() == 1) return reinterpret_cast<void*>(nothing);
  team::pieces_wait_for_each_other();
  return reinterpret_cast<void*>(next.get());
}

}  // namespace
}  // namespace weir::omp

extern "C" {
__attribute__((used, visibility("hidden"))) void* weir_doacross_wait() { return weir::omp::who_waits(weir::omp::next_wait); }
__attribute__((used, visibility("hidden"))) void* weir_doacross_ull_wait() { return weir::omp::who_waits(weir::omp::next_ull_wait); }
}

// As many arguments as the program has loops: they are left where they are, in registers and on the stack.
#define WEIR_GOES_ON_IN(which)                                                                           \
  asm("push %rdi; push %rsi; push %rdx; push %rcx; push %r8; push %r9; push %rax\n\t"                    \
      "call " #which "\n\t"                                                                              \
      "mov %rax, %r11\n\t"                                                                               \
      "pop %rax; pop %r9; pop %r8; pop %rcx; pop %rdx; pop %rsi; pop %rdi\n\t"                           \
      "jmp *%r11")

WEIR_INTERPOSED __attribute__((naked)) void GOMP_doacross_wait(long, ...) { WEIR_GOES_ON_IN(weir_doacross_wait); }
WEIR_INTERPOSED __attribute__((naked)) void GOMP_doacross_ull_wait(unsigned long long, ...) {
  WEIR_GOES_ON_IN(weir_doacross_ull_wait);
}
