// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/preempt.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "lane/marks.h"
#include "meter/counters.h"
#include "omp_ext/idle.h"
#include "omp_ext/task_region.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/lane.h"
#include "wait/watchdog.h"

namespace weir::omp {
namespace {

// As the kernel takes it.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};
constexpr unsigned long has_restorer = 0x04000000;

constinit std::atomic<int> our_signal{0};

// What a handler returns to. Debuggers and unwinders know the frame of a signal by these very bytes.
asm(R"(
        .text
        .p2align 4
        .type   weir_preempt_return, @function
        nop
weir_preempt_return:
        movq    $15, %rax
        syscall
        .size   weir_preempt_return, .-weir_preempt_return
)");
extern "C" __attribute__((visibility("hidden"))) void weir_preempt_return();

// Is it code of the program, or of a library that is no run-time?
bool of_the_program(void* code) {
  dl_find_object found;
  if (_dl_find_object(code, &found)) return false;
  const char* name = found.dlfo_link_map->l_name;
  const char* file = name ? std::strrchr(name, '/') : nullptr;
  file = file ? file + 1 : name;
  return !file || !*file || (!lane::is_runtime(file) && std::strncmp(file, "linux-vdso", 10) != 0);
}

bool any_ready(Member& member) {
  return member.ready_count.load(std::memory_order_relaxed) || !member.woken.empty();
}

// Does the program itself wait in the kernel, by libc's syscall()? That keeps no frame: its caller is on top of the stack.
// So does std::atomic::wait, and goes on waiting when interrupted.
bool in_call_of_the_program(void* code, void** stack) {
  constexpr std::uintptr_t longest = 64;  // bytes of its code
  static void* const function = dlsym(RTLD_NEXT, "syscall");
  return reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(function) < longest &&
         of_the_program(*stack);
}

// May another task run here, now, on top of what was interrupted? On top of code that computes only where that was found
// to do no harm; on top of a wait in any lane, since what it waits for may be that very task.
bool may_interrupt(const base::Thread& thread, Member* member, void* code, void** stack) {
  if (!member || member->serialized || member->only_below || thread.lock_depth || thread.engine_depth ||
      thread.signal_depth)
    return false;
  return thread.waits_openly || in_call_of_the_program(code, stack) ||
         (wait::policy.automatic.load(std::memory_order_relaxed) && of_the_program(code));
}

// As far as the watchdog is concerned, what was interrupted is ready and does not go on.
void on_top(Worker& worker, Member& member) {
  worker.on_top = true;
  meter::gauges.ready.rise();
  for (std::int32_t left = member.ready_count.load(std::memory_order_relaxed) + 1; left > 0; --left)
    if (!go_on_with_one(member)) break;
  meter::gauges.ready.fall();
  meter::gauges.resumed.fetch_add(1, std::memory_order_relaxed);
  worker.on_top = false;
}

void interrupted(int, siginfo_t*, void* context_) {
  int error_number = errno;
  base::Thread& thread = base::self();
  auto* worker = static_cast<Worker*>(thread.omp);
  Member* member = worker ? worker->member.load() : nullptr;
  auto* context = static_cast<ucontext_t*>(context_);
  auto* code = reinterpret_cast<void*>(context->uc_mcontext.gregs[REG_RIP]);
  auto** stack = reinterpret_cast<void**>(context->uc_mcontext.gregs[REG_RSP]);
  if (may_interrupt(thread, member, code, stack)) {
    bool waits_openly = thread.waits_openly;
    thread.waits_openly = false;  // of what was interrupted, not of what runs on top of it
    if (worker->on_top) leave_for_now();
    else if (any_ready(*member)) on_top(*worker, *member);
    base::self().waits_openly = waits_openly;
  }
  errno = error_number;
}

KernelAction action_of(int signal) {
  KernelAction action{};
  sys::raw(SYS_rt_sigaction, signal, 0, sys::word(&action), sizeof action.mask);
  return action;
}

// The one we have, or else one that nobody has. 0: none.
int signal_to_use() {
  int signal = our_signal.load(std::memory_order_relaxed);
  if (signal && action_of(signal).handler == interrupted) return signal;
  for (signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    if (action_of(signal).handler) continue;
    KernelAction ours{interrupted, SA_SIGINFO | SA_RESTART | SA_NODEFER | has_restorer, weir_preempt_return, 0};
    if (failed(sys::raw(SYS_rt_sigaction, signal, sys::word(&ours), 0, sizeof ours.mask))) continue;
    our_signal.store(signal, std::memory_order_relaxed);
    return signal;
  }
  return 0;
}

// What the kernel says of a thread in its file of that name; false: nothing.
template <std::size_t room>
bool told_of(std::int32_t tid, const char* name, char (&text)[room]) {
  base::Line path;
  path.add("/proc/self/task/%d/%s", tid, name);
  Result file = sys::open(path.text(), O_RDONLY | O_CLOEXEC);
  if (failed(file)) return false;
  Result bytes = sys::read(static_cast<int>(file), text, room - 1);
  sys::close(static_cast<int>(file));
  if (bytes <= 0) return false;
  text[bytes] = 0;
  return true;
}

// Who sleeps on a futex looks again when interrupted. Other sleepers are left alone: some calls would end early.
bool sleeps_on_futex(std::int32_t tid) {
  char text[512];
  static_assert(SYS_futex == 202);
  return told_of(tid, "syscall", text) && std::strncmp(text, "202 ", 4) == 0;
}

bool computes(std::int32_t tid) {
  char text[512];
  if (!told_of(tid, "stat", text)) return false;
  const char* name_end = std::strrchr(text, ')');
  return name_end && name_end[1] == ' ' && name_end[2] == 'R';
}

// On the driver's thread.
void stalled() {
  bool automatic = wait::policy.automatic.load(std::memory_order_relaxed);
  for (Worker* worker = first_worker(); worker; worker = worker->next_of_all) {
    Member* member = worker->member.load();
    if (!member || (!worker->on_top && !any_ready(*member))) continue;
    if (!sleeps_on_futex(worker->tid) && !(automatic && computes(worker->tid))) continue;
    if (int signal = signal_to_use()) sys::raw(SYS_tgkill, sys::process_id(), worker->tid, signal);
  }
}

}  // namespace

void preempt_when_stalled() { wait::add_on_stall(stalled); }

}  // namespace weir::omp
