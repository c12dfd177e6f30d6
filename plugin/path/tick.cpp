// SPDX-License-Identifier: Apache-2.0
// What the driver's thread does between two sleeps.
#include <algorithm>

#include "base/log.h"
#include "gate/connecting.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "path/engine.h"
#include "path/making_way.h"
#include "wait/lane.h"
#include "wait/stalls.h"
#include "wait/watchdog.h"

namespace weir::path {

constinit std::atomic<std::int64_t> watchdog_patience_ns{500'000'000};

namespace {

void let_overdue_through(std::int64_t now_ns, std::int64_t bound_ns) {
  while (op::Request* late = gate::the_gate.permits.overdue(now_ns, bound_ns)) {
    meter::mine().reasons[static_cast<int>(meter::Reason::gate_timeout)].add(1);
    driver.submit(*late);
  }
}

// How long until what did not move is looked at again.
std::int64_t look_ns() { return watchdog_patience_ns.load(std::memory_order_relaxed) / 4; }

constinit wait::Stalls stalls;  // the driver's thread alone has it

void judge_stall(std::int64_t now_ns, wait::Watchdog& watchdog) {
  if (!stalls.is_to_be_judged(now_ns)) return;
  stalls.judge(wait::what_stall_was(), now_ns, look_ns());
  // What a thread waits for it had better not wait for any longer next time.
  if (!watchdog.tripped() && stalls.last() != wait::Stall::waits) watchdog.be_more_patient();
}

void keep_watch(std::int64_t now_ns) {
  static constinit wait::Watchdog watchdog(0);
  if (watchdog.patience_ns() == 0) watchdog = wait::Watchdog(watchdog_patience_ns.load());
  judge_stall(now_ns, watchdog);
  std::int64_t resumed = meter::gauges.resumed.load(std::memory_order_relaxed);
  switch (watchdog.look(now_ns, meter::gauges.ready.value(), resumed)) {
    case wait::Watchdog::Verdict::tripped:
      stalls.one_begins(now_ns, look_ns());
      base::say_if_verbose("%lld tasks could go on, but every thread is busy: no more are set aside for now",
                           static_cast<long long>(meter::gauges.ready.value()));
      break;
    case wait::Watchdog::Verdict::healed: stalls.one_is_over(now_ns, look_ns()); break;
    case wait::Watchdog::Verdict::nothing: break;
  }
  wait::policy.held_back.store(stalls.calls_park(), std::memory_order_relaxed);
  if (!watchdog.tripped()) return;
  wait::tell_of_stall();
  if (watchdog.tripped_ns(now_ns) > watchdog_patience_ns.load(std::memory_order_relaxed)) make_busy_tasks_stand_back(now_ns);
}

}  // namespace

std::int64_t tick(std::int64_t now_ns) {
  std::int64_t bound_ns = gate::the_gate.wait_ns.load(std::memory_order_relaxed);
  let_overdue_through(now_ns, bound_ns);
  keep_watch(now_ns);
  gate::connecting.look(now_ns);
  std::int64_t next_ns = -1;
  if (gate::the_gate.permits.anyone_queued()) next_ns = bound_ns / 4;
  if (meter::gauges.ready.value() > 0 || stalls.anything_to_know()) next_ns = base::shorter(next_ns, look_ns());
  constexpr std::int64_t look_at_queued_ns = 100 * base::ns_per_ms;
  if (gate::connecting.any_queued()) next_ns = base::shorter(next_ns, look_at_queued_ns);
  return next_ns;
}

}  // namespace weir::path
