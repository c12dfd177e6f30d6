// SPDX-License-Identifier: Apache-2.0
// sched_yield and its kin: how a lock spins that nobody can see, and how a runtime spends time without work.
#include <sched.h>
#include <threads.h>

#include "base/clock.h"
#include "gate/gate.h"
#include "gate/others.h"
#include "intercept/real.h"
#include "lane/runtime_code.h"
#include "path/napping.h"
#include "path/yielding.h"
#include "wait/unseen_locks.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int()> real_sched_yield{"sched_yield"};

int yield_idly() {
  gate::Gate& gate = gate::the_gate;
  if (gate.cores.waiting() == 0) return real_sched_yield();
  std::int64_t began = base::now_ns();
  int result = real_sched_yield();
  gate.idle_yielded(base::now_ns() - began);
  return result;
}

int yield(const void* caller) {
  auto* sleeps = gate::the_gate.on_idle.load(std::memory_order_relaxed);
  if (sleeps && sleeps(caller)) return 0;
  auto* idle = gate::the_gate.on_yield.load(std::memory_order_relaxed);
  switch (idle ? idle(caller) : gate::Idle::no) {
    case gate::Idle::made_way: return 0;
    case gate::Idle::yields: return yield_idly();
    case gate::Idle::no: break;
  }
  if (gate::is_to_wait_asleep() && lane::is_runtime_code(caller) && !path::waits_long_awake()) return 0;
  if (path::nap_is_due() && lane::is_runtime_code(caller)) return path::nap(), 0;
  // A runtime, or a malloc, spins with its own locks held.
  path::Spins spins = path::counted_yield();
  if (spins != path::Spins::not_long && !lane::is_runtime_code(caller)) {
    wait::unseen_locks.somebody_wants();
    if (spins == path::Spins::for_others && path::stand_back_in_row(base::now_ns())) return 0;
  }
  if (gate::has_spun_for_a_while() && !lane::is_runtime_code(caller) && gate::make_way_while_spinning()) return 0;
  int result;
  std::int64_t took_ns = path::watched_yield([&result] { result = real_sched_yield(); });
  if (path::others_are_aside() || path::libtbb_may_hold_one(base::self_unsuspended())) path::yielded(took_ns);
  return result;
}

}  // namespace
}  // namespace weir::intercept

#pragma GCC visibility push(default)
extern "C" {

int sched_yield() noexcept { return weir::intercept::yield(__builtin_return_address(0)); }
// The header makes sched_yield of the name.
int weir_pthread_yield() noexcept asm("pthread_yield");
int weir_pthread_yield() noexcept { return weir::intercept::yield(__builtin_return_address(0)); }
void thrd_yield() { weir::intercept::yield(__builtin_return_address(0)); }

int __sched_yield() noexcept __attribute__((alias("sched_yield")));

}  // extern "C"
#pragma GCC visibility pop
