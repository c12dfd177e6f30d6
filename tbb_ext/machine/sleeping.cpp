// SPDX-License-Identifier: Apache-2.0
// syscall(SYS_futex, ...): how a thread of libtbb's, or one that waits in it, goes to sleep for lack of work. It gives its
// core to others meanwhile. And sched_yield: how it spends the time before that. The program's own waits by a futex are handed on.
#include "tbb_ext/machine/sleeping.h"

#include <dlfcn.h>
#include <linux/futex.h>

#include "base/thread.h"
#include "gate/gate.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"
#include "tbb_ext/machine/numbering.h"
#include "sys/idle.h"
#include "sys/raw.h"
#include "sys/wakes.h"
#include "wait/errno_loan.h"

using namespace weir;

extern "C" {

using Syscall = long (*)(long, long, long, long, long, long, long);

static long weir_tbb_raw_syscall(long number, long a, long b, long c, long d, long e, long f) {
  return tbb::libc_result(sys::raw(number, a, b, c, d, e, f));
}

__attribute__((visibility("hidden"))) Syscall weir_tbb_next_syscall = weir_tbb_raw_syscall;

// Jumped to by `syscall` below when libtbb calls it.
__attribute__((visibility("hidden"), used)) long weir_tbb_syscall(long number, long a, long b, long c, long d, long e,
                                                                  long f) {
  bool sleeps = number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_WAIT;
  if (number == SYS_futex && b == FUTEX_WAKE_PRIVATE && base::self().wakes) {
    sys::wake_soon(*reinterpret_cast<std::atomic<std::uint32_t>*>(a), static_cast<int>(c), sys::Sleeper::idles);
    return 0;  // how many that will be libtbb does not ask
  }
  if (!sleeps) return weir_tbb_next_syscall(number, a, b, c, d, e, f);
  sys::send_wakes();
  sys::Idle idle;
  bool held_core = base::self().holds_core;
  if (held_core) tbb::going();
  tbb::sleeps_without_task();
  tbb::worker_sleeps();
  wait::open_errno();
  Result result = sys::raw(number, a, b, c, d, e, f);  // which leaves errno alone
  if (held_core) tbb::coming();
  wait::close_errno();
  tbb::worker_is_up();
  return tbb::libc_result(result);
}

// Jumped to when anybody else calls it for a futex. (By it wait std::atomic, std::latch and their kin.)
__attribute__((visibility("hidden"), used)) long weir_program_futex(long number, long a, long b, long c, long d, long e, long f) {
  long command = b & FUTEX_CMD_MASK;
  bool any_wake = command == FUTEX_WAIT || (command == FUTEX_WAIT_BITSET && static_cast<std::uint32_t>(f) == FUTEX_BITSET_MATCH_ANY);
  auto* wait = any_wake && !d ? gate::the_gate.on_futex_wait.load(std::memory_order_relaxed) : nullptr;
  if (!wait) return weir_tbb_next_syscall(number, a, b, c, d, e, f);
  int operation = FUTEX_WAIT | static_cast<int>(b & FUTEX_PRIVATE_FLAG);
  return wait(reinterpret_cast<std::uint32_t*>(a), static_cast<std::uint32_t>(c), operation, __builtin_return_address(0));
}
}

// Anybody else's call is a jump to the next definition, with every register as it came: syscall(SYS_vfork) and
// syscall(SYS_clone) return twice.
static_assert(SYS_futex == 202);
asm(R"(
.text
.p2align 4
.globl syscall
.type syscall,@function
syscall:
  movq (%rsp), %rax
  subq weir_tbb_text(%rip), %rax
  cmpq 8+weir_tbb_text(%rip), %rax
  jb weir_tbb_syscall
  cmpq $202, %rdi
  je weir_program_futex
  jmp *weir_tbb_next_syscall(%rip)
.size syscall,.-syscall
)");

namespace weir::tbb {

namespace {

gate::Idle yields_for_lack_of_work(const void* caller) {
  if (!from_libtbb(caller)) return gate::Idle::no;
  if (base::self().wants_tbb_lock)  // as who yields for a lock of the program's that is inlined
    return gate::has_spun_for_a_while() && gate::make_way_while_spinning() ? gate::Idle::made_way : gate::Idle::no;
  sys::send_wakes();
  sys::tell_idle();
  finds_no_task();
  return idling() ? gate::Idle::made_way : gate::Idle::yields;
}

}  // namespace

void find_next_syscall() {
  if (void* next = dlsym(RTLD_NEXT, "syscall")) weir_tbb_next_syscall = reinterpret_cast<Syscall>(next);
  gate::the_gate.on_yield.store(yields_for_lack_of_work);
}

}  // namespace weir::tbb
