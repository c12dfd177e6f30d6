// SPDX-License-Identifier: Apache-2.0
// getcontext, makecontext and swapcontext for libtbb's coroutines: the same, less two rt_sigprocmask a switch. A task's
// signal mask is its thread's, and libtbb's threads all have one mask.
#include <ucontext.h>

#include <cstdint>

#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"

using weir::tbb::from_libtbb;
using weir::tbb::Next;

namespace {

constinit Next<int(ucontext_t*)> next_getcontext{"getcontext"};
constinit Next<int(ucontext_t*, const ucontext_t*)> next_swapcontext{"swapcontext"};

// A context is ours or libc's, and says itself which: a swap follows what it finds, so the two may meet.
constexpr unsigned long ours = 0x77656972'63747874;  // "weirctxt"

greg_t& stack_of(ucontext_t* context) { return context->uc_mcontext.gregs[REG_RSP]; }

// With hardware shadow stacks a switch has to switch those too: libc knows how.
bool has_shadow_stack() {
  std::uint64_t pointer = 0;
  asm volatile("rdsspq %0" : "+r"(pointer));  // a no-op where there are none
  return pointer != 0;
}

struct Frame {  // as weir_tbb_switch leaves it on a stack, lowest address first
  std::uint32_t mxcsr;
  std::uint32_t x87;
  void *r15, *r14, *r13, *r12, *rbx, *rbp, *returns_to;
};

}  // namespace

extern "C" {
void weir_tbb_switch(greg_t* save, greg_t load);
void weir_tbb_begin();
}

// What a called function must preserve, and no more: registers, rounding and exception masks.
asm(R"(
.text
.p2align 4
.type weir_tbb_switch,@function
.hidden weir_tbb_switch
.globl weir_tbb_switch
weir_tbb_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size weir_tbb_switch,.-weir_tbb_switch

.p2align 4
.type weir_tbb_begin,@function
.hidden weir_tbb_begin
.globl weir_tbb_begin
weir_tbb_begin:
  .cfi_startproc
  .cfi_undefined rip
  movl %r12d, %edi
  movl %r13d, %esi
  xorl %ebp, %ebp
  call *%rbx
  ud2
  .cfi_endproc
.size weir_tbb_begin,.-weir_tbb_begin
)");

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_EXPORT int getcontext(ucontext_t* context) noexcept {
  if (!from_libtbb(__builtin_return_address(0))) return next_getcontext(context);
  // libtbb asks only to fill it by makecontext, or by the first swap away from it.
  context->uc_flags = 0;
  return 0;
}

// Variadic, and with the caller's registers unknown to us: anybody else's call is passed on by a jump.
extern "C" void weir_tbb_make(ucontext_t* context, void (*function)(), int, unsigned first, unsigned second) {
  if (has_shadow_stack()) {
    static constinit Next<int(ucontext_t*)> libc_getcontext{"getcontext"};
    static constinit Next<void(ucontext_t*, void (*)(), int, unsigned, unsigned)> libc_makecontext{"makecontext"};
    stack_t stack = context->uc_stack;
    ucontext_t* link = context->uc_link;
    libc_getcontext(context);
    context->uc_stack = stack;
    context->uc_link = link;
    return libc_makecontext(context, function, 2, first, second);
  }
  auto top = reinterpret_cast<std::uintptr_t>(context->uc_stack.ss_sp) + context->uc_stack.ss_size;
  auto* frame = reinterpret_cast<Frame*>((top & ~std::uintptr_t{15}) - 16 - sizeof(Frame));
  *frame = {};
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->x87));
  frame->rbx = reinterpret_cast<void*>(function);
  frame->r12 = reinterpret_cast<void*>(static_cast<std::uintptr_t>(first));
  frame->r13 = reinterpret_cast<void*>(static_cast<std::uintptr_t>(second));
  frame->returns_to = reinterpret_cast<void*>(weir_tbb_begin);
  stack_of(context) = reinterpret_cast<greg_t>(frame);
  context->uc_flags = ours;
}

extern "C" void* weir_tbb_next_makecontext() { return dlsym(RTLD_NEXT, "makecontext"); }

asm(R"(
.text
.p2align 4
.globl makecontext
.type makecontext,@function
makecontext:
  movq (%rsp), %rax
  subq weir_tbb_text(%rip), %rax
  cmpq 8+weir_tbb_text(%rip), %rax
  jb weir_tbb_make
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  subq $8, %rsp
  call weir_tbb_next_makecontext
  addq $8, %rsp
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  jmp *%rax
.size makecontext,.-makecontext
)");

WEIR_EXPORT int swapcontext(ucontext_t* from, const ucontext_t* to) noexcept {
  if (to->uc_flags != ours) {
    from->uc_flags = 0;
    return next_swapcontext(from, to);
  }
  from->uc_flags = ours;
  weir_tbb_switch(&stack_of(from), stack_of(const_cast<ucontext_t*>(to)));
  return 0;
}
