// SPDX-License-Identifier: Apache-2.0
#include "path/making_way.h"

#include "base/thread.h"
#include "interrupt/interrupt.h"
#include "path/yielding.h"
#include "sys/threads.h"
#include "wait/lane.h"

namespace weir::path {
namespace {

bool may_stand_back(const base::Thread& thread, void* code) {
  return (thread.place & base::in_tbb_arena) && !thread.lock_depth && !thread.engine_depth && !thread.signal_depth &&
         !thread.blocked_depth && interrupt::of_the_program(code);
}

void interrupted(int, siginfo_t*, void* context) {
  interrupt::Interrupted where(context);
  if (!may_stand_back(base::self(), where.code)) return;
  where.compute_as_there();
  stand_back();
}

constinit interrupt::Interrupt interrupt_by{interrupted};

bool interrupt_one(void*, std::int32_t tid) {
  if (interrupt::computes(tid)) interrupt_by.send(tid);
  return true;
}

}  // namespace

void make_busy_tasks_stand_back() {
  if (wait::policy.automatic.load(std::memory_order_relaxed)) sys::each_thread(interrupt_one, nullptr);
}

}  // namespace weir::path
