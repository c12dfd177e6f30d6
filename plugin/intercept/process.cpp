// SPDX-License-Identifier: Apache-2.0
// Processes that begin and end. (fork is met by functions that libc calls around it, in api/instance.)
#include <cstddef>

#include <stdlib.h>
#include <unistd.h>

#include "api/instance.h"
#include "base/thread.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<pid_t()> real_fork_bare{"_Fork"};
WEIR_REAL Real<void(int)> real_exit{"_exit"};
WEIR_REAL Real<pid_t()> real_vfork{"vfork"};
WEIR_REAL Real<int(void (*)(), void (*)(), void (*)(), void*)> real_register_atfork{"__register_atfork"};

// Ends without atexit functions and destructors: the report is written here.
[[noreturn]] void end_now(int status) {
  if (!base::self().engine_depth) api::finish();  // a child of vfork has nothing to report
  real_exit(status);
  __builtin_unreachable();
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

// fork without pthread_atfork's functions.
pid_t _Fork() noexcept {
  pid_t child = real_fork_bare();
  if (child == 0) api::after_fork_in_child();
  return child;
}

// What pthread_atfork calls, which each object has a copy of. Most libraries' constructors run before ours.
int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* object) noexcept {
  api::watch_forks();
  return real_register_atfork(before, in_parent, in_child, object);
}

void _exit(int status) { end_now(status); }
void _Exit(int status) noexcept { end_now(status); }

}  // extern "C"
#pragma GCC visibility pop

// vfork returns twice, the first time in a child that shares our memory, our stack and our thread record. There all
// calls go straight through: the child runs as if weir were at work (engine_depth), and the parent takes that back. The
// return address can't wait on the stack, which the child overwrites; it waits in the thread record. A vfork within
// such a child finds engine_depth set and goes straight to libc.
extern "C" __attribute__((visibility("hidden"), used)) void* weir_real_vfork() {
  return reinterpret_cast<void*>(weir::intercept::real_vfork.pointer());
}
static_assert(offsetof(weir::base::Thread, engine_depth) == 12 && offsetof(weir::base::Thread, vfork_return) == 16);
asm(R"(
        .text
        .globl  vfork
        .type   vfork, @function
vfork:
        .cfi_startproc
        endbr64
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    weir_real_vfork
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        movq    _ZN4weir4base13thread_recordE@gottpoff(%rip), %rcx
        cmpl    $0, %fs:12(%rcx)
        je      1f
        jmp     *%rax
1:      popq    %fs:16(%rcx)
        .cfi_adjust_cfa_offset -8
        incl    %fs:12(%rcx)
        call    *%rax
        movq    _ZN4weir4base13thread_recordE@gottpoff(%rip), %rcx
        testl   %eax, %eax
        je      2f
        decl    %fs:12(%rcx)
2:      pushq   %fs:16(%rcx)
        .cfi_adjust_cfa_offset 8
        ret
        .cfi_endproc
        .size   vfork, .-vfork
)");
