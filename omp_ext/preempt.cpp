// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/preempt.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "interrupt/interrupt.h"
#include "meter/counters.h"
#include "omp_ext/idle.h"
#include "omp_ext/task_region.h"
#include "wait/lane.h"
#include "wait/watchdog.h"

namespace weir::omp {
namespace {

bool any_ready(Member& member) {
  return member.ready_count.load(std::memory_order_relaxed) || !member.woken.empty();
}

// Does the program itself wait in the kernel, by libc's syscall()? That keeps no frame: its caller is on top of the stack.
// So does std::atomic::wait, and goes on waiting when interrupted.
bool in_call_of_the_program(void* code, void** stack) {
  constexpr std::uintptr_t longest = 64;  // bytes of its code
  static void* const function = dlsym(RTLD_NEXT, "syscall");
  return reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(function) < longest &&
         interrupt::of_the_program(*stack);
}

// May another task run here, now, on top of what was interrupted? On top of code that computes only where that was found
// to do no harm; on top of a wait in any lane, since what it waits for may be that very task. Not on top of libtbb: should it
// wait in there, too, libtbb might go on with it on another thread.
bool may_interrupt(const base::Thread& thread, Member* member, void* code, void** stack) {
  if (!member || member->serialized || member->only_below || thread.lock_depth || thread.engine_depth ||
      thread.signal_depth || (thread.place & base::in_tbb_arena))
    return false;
  return thread.waits_openly || in_call_of_the_program(code, stack) ||
         (wait::policy.automatic.load(std::memory_order_relaxed) && interrupt::of_the_program(code));
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

void interrupted(int, siginfo_t*, void* context) {
  int error_number = errno;
  base::Thread& thread = base::self();
  auto* worker = static_cast<Worker*>(thread.omp);
  Member* member = worker ? worker->member.load() : nullptr;
  interrupt::Interrupted where(context);
  const bool only_looks = worker && worker->looked.is_only_look();
  if (worker) worker->looked.look(where.registers);
  if (!only_looks && may_interrupt(thread, member, where.code, where.stack)) {
    bool waits_openly = thread.waits_openly;
    where.compute_as_there();
    thread.waits_openly = false;  // of what was interrupted, not of what runs on top of it
    if (worker->on_top) leave_for_now();
    else if (any_ready(*member)) on_top(*worker, *member), worker->looked.others_went_on();
    base::self().waits_openly = waits_openly;
  } else {
    where.tell_whose_call_it_ended();
  }
  errno = error_number;
}

constinit interrupt::Interrupt interrupt_by{interrupted};

// On the driver's thread.
void stalled() {
  bool automatic = wait::policy.automatic.load(std::memory_order_relaxed);
  for (Worker* worker = first_worker(); worker; worker = worker->next_of_all) {
    Member* member = worker->member.load();
    if (!member || (!worker->on_top && !any_ready(*member))) continue;
    bool computes = interrupt::computes(worker->tid);
    bool may = interrupt::sleeps_on_futex(worker->tid) || (computes && (worker->looked.asks() || automatic));
    if (may) interrupt_by.send(worker->tid);
  }
}

wait::Stall what_it_was() {
  wait::Stall all = wait::Stall::unknown;
  for (Worker* worker = first_worker(); worker; worker = worker->next_of_all) all = std::max(all, worker->looked.judge());
  return all;
}

}  // namespace

void preempt_when_stalled() { wait::add_on_stall({stalled, what_it_was}); }

}  // namespace weir::omp
