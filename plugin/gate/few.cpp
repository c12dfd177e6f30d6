// SPDX-License-Identifier: Apache-2.0
#include "gate/few.h"

#include <atomic>
#include <utility>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"

namespace weir::gate {
namespace {

// How often somebody went on, or made a call.
constinit std::atomic<std::uint64_t> steps{0};

}  // namespace

bool keeps_core() {
  if (!base::self().holds_core || !the_gate.lets_few_go_on() || the_gate.cores.crowded()) return false;
  steps.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// When nobody went on for long, those with cores may wait for one that waits here, in a way that nobody told us of: then one goes on.
bool take_core_among_few() {
  constexpr std::int64_t patience_ns = 500 * base::ns_per_ms;
  std::uint64_t seen = steps.load(std::memory_order_relaxed), before;
  bool taken;
  do {
    taken = the_gate.cores.take_in_turn(patience_ns);
    if (!taken) the_gate.memory.look_if_due(base::now_ns());
    before = std::exchange(seen, steps.load(std::memory_order_relaxed));
  } while (!taken && seen != before);
  steps.fetch_add(1, std::memory_order_relaxed);
  if (!taken) the_gate.cores.take_over();
  return taken;
}

}  // namespace weir::gate
