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

// While it has tripped, calls park: the tasks that are ready get no more company.
void keep_watch(std::int64_t now_ns) {
  static constinit wait::Watchdog watchdog(0);
  static constinit int healings = 0;
  constexpr int most_healings = 3;
  if (watchdog.patience_ns() == 0) watchdog = wait::Watchdog(watchdog_patience_ns.load());
  std::int64_t resumed = meter::gauges.resumed.load(std::memory_order_relaxed);
  switch (watchdog.look(now_ns, meter::gauges.ready.value(), resumed)) {
    case wait::Watchdog::Verdict::tripped:
      wait::policy.held_back.store(true);
      base::say_if_verbose("%lld tasks could go on, but every thread is busy: no more are set aside for now",
                           static_cast<long long>(meter::gauges.ready.value()));
      break;
    case wait::Watchdog::Verdict::healed:
      // Some programs stall again and again, each time for longer: their calls had better park.
      if (++healings < most_healings) wait::policy.held_back.store(false);
      break;
    case wait::Watchdog::Verdict::nothing: break;
  }
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
  if (meter::gauges.ready.value() > 0) {
    std::int64_t look_ns = watchdog_patience_ns.load(std::memory_order_relaxed) / 4;
    next_ns = next_ns < 0 ? look_ns : std::min(next_ns, look_ns);
  }
  constexpr std::int64_t look_at_queued_ns = 100 * base::ns_per_ms;
  if (gate::connecting.any_queued()) next_ns = base::shorter(next_ns, look_at_queued_ns);
  return next_ns;
}

}  // namespace weir::path
