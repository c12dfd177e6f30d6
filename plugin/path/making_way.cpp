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
         interrupt::of_the_program(code);
}

void interrupted(int, siginfo_t*, void* context) {
  interrupt::Interrupted where(context);
  if (!may_stand_back(base::self(), where.code)) return where.tell_whose_call_it_ended();
  where.compute_as_there();
  stand_back();
}

constinit interrupt::Interrupt interrupt_by{interrupted};

bool interrupt_one(void*, std::int32_t tid) {
  sys::ThreadState thread = sys::state_of(tid);
  if (thread.state == 'R' && !sys::is_own_thread(tid)) interrupt_by.send(tid);
  return true;
}

// How often: a signal also ends what a thread waits for just then, if that does not go on after one.
constexpr std::int64_t pause_ns = 100'000'000;

}  // namespace

void make_busy_tasks_stand_back(std::int64_t now_ns) {
  static constinit std::int64_t next_ns = 0;  // the driver's thread alone comes here
  if (now_ns < next_ns || !wait::policy.automatic.load(std::memory_order_relaxed)) return;
  next_ns = now_ns + pause_ns;
  sys::each_thread(interrupt_one, nullptr);
}

}  // namespace weir::path
