// SPDX-License-Identifier: Apache-2.0
#include "interrupt/interrupt.h"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>

#include <cerrno>
#include <cstring>

#include "base/thread.h"
#include "lane/marks.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "sys/threads.h"

namespace weir::interrupt {
namespace {

// As the kernel takes it.
struct KernelAction {
  Interrupt::Handler handler;
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
constexpr unsigned long has_restorer = 0x04000000;

// What a handler returns to. Debuggers and unwinders know the frame of a signal by these very bytes.
asm(R"(
        .text
        .p2align 4
        .type   weir_interrupt_return, @function
        nop
weir_interrupt_return:
        movq    $15, %rax
        syscall
        .size   weir_interrupt_return, .-weir_interrupt_return
)");
extern "C" __attribute__((visibility("hidden"))) void weir_interrupt_return();

KernelAction action_of(int signal) {
  KernelAction action{};
  sys::raw(SYS_rt_sigaction, signal, 0, sys::word(&action), sizeof action.mask);
  return action;
}

constinit std::atomic<void*> malloc_there{nullptr};  // found before the first signal: no handler is to call dlsym

const link_map* object_of(void* code) {
  dl_find_object found;
  return _dl_find_object(code, &found) ? nullptr : found.dlfo_link_map;
}

}  // namespace

// The one we have, or else one that nobody has. 0: none.
int Interrupt::signal_to_use() {
  int signal = signal_.load(std::memory_order_relaxed);
  if (signal && action_of(signal).handler == handler_) return signal;
  for (signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    if (action_of(signal).handler) continue;
    KernelAction ours{handler_, SA_SIGINFO | SA_RESTART | SA_NODEFER | has_restorer, weir_interrupt_return, 0};
    if (failed(sys::raw(SYS_rt_sigaction, signal, sys::word(&ours), 0, sizeof ours.mask))) continue;
    signal_.store(signal, std::memory_order_relaxed);
    return signal;
  }
  return 0;
}

bool Interrupt::send(std::int32_t tid) {
  if (!malloc_there.load(std::memory_order_relaxed)) malloc_there.store(dlsym(RTLD_DEFAULT, "malloc"), std::memory_order_relaxed);
  int signal = signal_to_use();
  return signal && !failed(sys::raw(SYS_tgkill, sys::process_id(), tid, signal));
}

Interrupted::Interrupted(void* context) {
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  code = reinterpret_cast<void*>(machine.gregs[REG_RIP]);
  stack = reinterpret_cast<void**>(machine.gregs[REG_RSP]);
  result_ = machine.gregs[REG_RAX];
  registers = 0;
  for (int i = REG_R8; i <= REG_RSP; ++i) registers = (registers ^ static_cast<std::uint64_t>(machine.gregs[i])) * 0x9E3779B97F4A7C15u;
  if (!machine.fpregs) return;
  mxcsr_ = machine.fpregs->mxcsr;
  x87_ = machine.fpregs->cwd;
}

void Interrupted::compute_as_there() const {
  if (!mxcsr_) return;
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr_), "m"(x87_));
}

// What the kernel goes on with by itself stands before its instruction again; libc has not looked at what a call returned.
void Interrupted::tell_whose_call_it_ended() const {
  constexpr char instruction[] = "\x0f\x05";
  bool may_be_ours = result_ >= 0 || result_ == -EINTR;
  if (!may_be_ours || !object_of(code) || std::memcmp(static_cast<const char*>(code) - 2, instruction, 2) != 0) return;
  base::Thread& thread = base::self();
  thread.errno_before = errno;
  thread.cut_short = true;
}

bool of_the_program(void* code) {
  const link_map* object = object_of(code);
  if (!object || object == object_of(malloc_there.load(std::memory_order_relaxed))) return false;
  const char* name = object->l_name;
  const char* file = name ? std::strrchr(name, '/') : nullptr;
  file = file ? file + 1 : name;
  return !file || !*file || (!lane::is_runtime(file) && std::strncmp(file, "linux-vdso", 10) != 0);
}

bool computes(std::int32_t tid) { return sys::state_of(tid).state == 'R'; }

bool sleeps_on_futex(std::int32_t tid) {
  char text[512];
  static_assert(SYS_futex == 202);
  return sys::told_of(tid, "syscall", text, sizeof text) && std::strncmp(text, "202 ", 4) == 0;
}

}  // namespace weir::interrupt
