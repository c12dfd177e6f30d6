// SPDX-License-Identifier: Apache-2.0
#include "wait/lane.h"

#include "base/thread.h"
#include "wait/runtimes.h"
#include "wait/thread_waiter.h"

namespace weir::wait {

constinit Policy policy;

using meter::Reason;

void keep_tasks_on_threads() {
  const auto relaxed = std::memory_order_relaxed;
  if (!policy.automatic.load(relaxed) || policy.best.load(relaxed) != Lane::suspend) return;
  policy.reason.store(Reason::thread_bound);
  policy.best.store(Lane::park);
}

Reason reason_of(int refusal) {
  switch (refusal) {
    case WEIR_REFUSED_CAP: return Reason::cap;
    case WEIR_REFUSED_CONSTRUCT: return Reason::construct;
    case WEIR_REFUSED_NO_STACK: return Reason::no_stack;
    case WEIR_REFUSED_FOREIGN_STACK: return Reason::foreign_stack;
    case WEIR_REFUSED_IN_ORDER: return Reason::in_order;
    default: return Reason::not_a_task;
  }
}

// In a team of one libomp runs each task where it is created, and the thread's place is that of any code of the team's.
static Reason outside_of_tasks(std::uint32_t place) {
  const weir_runtime* omp = place & base::in_omp_team ? runtime_of(base::in_omp_task) : nullptr;
  return omp && omp->refuses() == WEIR_REFUSED_IN_ORDER ? Reason::in_order : Reason::not_a_task;
}

Choice choose(Ends ends) {
  base::Thread& thread = base::self();
  if (thread.engine_depth) return {Lane::plain, Reason::outside, nullptr};
  if (base::in_signal_handler()) return {Lane::plain, Reason::signal_handler, nullptr};
  bool forced = policy.forced.load(std::memory_order_relaxed);
  Lane best = forced ? Lane::suspend : policy.best.load(std::memory_order_relaxed);
  if (best == Lane::plain) return {Lane::plain, policy.reason.load(std::memory_order_relaxed), nullptr};
  if (best == Lane::park) return {Lane::park, policy.reason.load(std::memory_order_relaxed), nullptr};
  if (policy.held_back.load(std::memory_order_relaxed)) return {Lane::park, Reason::watchdog, nullptr};
  if (thread.lock_depth > 0) return {Lane::park, Reason::lock_held, nullptr};
  if (ends != Ends::never) {
    const std::atomic<bool>& wanted = ends == Ends::handled ? policy.handled : policy.interruptible;
    if (wanted.load(std::memory_order_relaxed)) return {Lane::park, Reason::eintr_wanted, nullptr};
    if (policy.cancellable.load(std::memory_order_relaxed)) return {Lane::park, Reason::cancellable, nullptr};
  }
  const weir_runtime* runtime = runtime_of(thread.place);
  if (!runtime && forced) return {Lane::suspend, Reason::none, &thread_runtime};
  if (!runtime) return {Lane::park, outside_of_tasks(thread.place), nullptr};
  if (int refusal = runtime->refuses()) return {Lane::park, reason_of(refusal), nullptr};
  return {Lane::suspend, Reason::none, runtime};
}

}  // namespace weir::wait
