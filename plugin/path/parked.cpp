// SPDX-License-Identifier: Apache-2.0
#include "path/parked.h"

#include <algorithm>

#include "base/clock.h"
#include "gate/connecting.h"
#include "gate/few.h"
#include "gate/gate.h"
#include "meter/overlap.h"
#include "meter/trace.h"
#include "path/accounted.h"
#include "path/engine.h"
#include "path/guess.h"
#include "path/habit.h"
#include "path/slept.h"
#include "path/waiting.h"

namespace weir::path {

using meter::Reason;
using meter::Track;

namespace {

// With the thread blocked, nothing is lost but where it had no core to give, whatever led to this lane.
Reason without_stand_in(Reason reason) {
  bool meant_to_park = reason == Reason::none || reason == Reason::not_a_task || reason == Reason::thread_bound;
  return meant_to_park ? Reason::no_stand_in : reason;
}

// Some time for the call, and more for what takes long to copy. What is shorter did not wait for a device.
bool was_at_hand(std::int64_t took_ns, std::uint64_t bytes) { return took_ns < 10'000 + static_cast<std::int64_t>(bytes / 4); }

// The kernel works for it, as for others of its kind of late: the thread keeps its core.
Result worked(Call& call, Reason reason) {
  std::int64_t began = base::now_ns();
  gate::the_gate.memory.look_if_due(began);
  Slept slept(true, began);
  meter::Traced traced = meter::begins(Track::plain, name_of(call), call.fd);
  Result result = real(call);
  meter::ends(traced, Track::plain, name_of(call), result);
  std::int64_t waited_ns = slept.ns(base::now_ns());
  call.habit->took(waited_ns);
  base::Thread& thread = base::self();
  if (was_at_hand(waited_ns, 0)) {
    meter::mine().fast_hits.add(1);
    gate::stand_back_where_crowded();
    return result;
  }
  if (auto* tell = before_first_wait.load(std::memory_order_relaxed)) tell();
  thread.hits_in_row = 0;
  count_reason(reason);
  count_parked(call, without_stand_in(reason), {waited_ns, 0}, result);
  return result;
}

}  // namespace

void one_more_is_blocked() {
  std::int64_t& most = base::self().seat.most_blocked;
  most = std::max(most, meter::gauges.blocked.fetch_add(1, std::memory_order_relaxed) + 1);
}

void call_others(std::int64_t most) {
  if (auto* tell = gate::the_gate.on_blocked.load(std::memory_order_relaxed)) tell(meter::gauges.in_flight.parked(), most);
}

Result parked(Call& call, const Plan& plan, Reason reason, bool looked) {
  if (call.works && call.habit->is_short()) return worked(call, reason);
  if (auto* tell = before_first_wait.load(std::memory_order_relaxed)) tell();
  gate::Gate& gate = gate::the_gate;
  bool had_core = base::self().holds_core;
  std::int64_t began = base::now_ns();
  gate.memory.look_if_due(began);
  if (ends_by_itself(call, plan) && gate::keeps_core()) {
    had_core = false;
    reason = gate.why_few();
  } else {
    gate::give_core_to_wait(began);
  }
  meter::Traced traced = meter::begins(Track::parked, name_of(call), call.fd);
  one_more_is_blocked();
  if (plan.storage) gate::wants_permit(call.fd);
  bool permit = plan.storage && gate.permits.acquire(gate.wait_ns.load(std::memory_order_relaxed));
  std::int64_t at_once = meter::gauges.in_flight.rise(true);
  if (had_core) call_others(plan.storage ? gate.permits.limit() : 1 << 30);
  std::int64_t flew = plan.storage ? base::now_ns() : began;  // with its permit
  Slept slept(call.works, began);
  Result result = real(call);
  if (call.direction == Direction::in) gate::connection_is_old(), received(call, result);
  std::int64_t ended = base::now_ns(), waited_ns = slept.ns(ended);
  std::int64_t flown_ns = std::min(waited_ns, ended - flew);
  if (plan.storage && !was_at_hand(flown_ns, call.bytes)) meter::stored_flight_ends(at_once, flown_ns);
  meter::gauges.in_flight.fall(flown_ns, true);
  meter::gauges.blocked.fetch_sub(1, std::memory_order_relaxed);
  if (call.habit && (!had_core || call.works)) call.habit->took(waited_ns);
  if (had_core) gate.waits.add(waited_ns);
  if (permit) release_permit();
  meter::ends(traced, Track::parked, name_of(call), result);
  std::int64_t went_on = had_core ? gate::take_core_back(ended) : ended;

  meter::Counters& counters = meter::mine();
  if ((!looked || call.works) && was_at_hand(waited_ns, call.bytes)) {
    // At the end of a file nothing else is to be had: that says nothing of the next one at this number.
    bool at_end = result == 0 && call.parts;
    if (!looked && !at_end) found_bytes(call.fd, Bytes::unknown);
    counters.fast_hits.add(1);
    return result;
  }
  counters.core_wait_ns.add(went_on - ended);
  if (plan.storage) {
    counters.storage_ops.add(1);
    if (result > 0) counters.storage_bytes.add(result);
  }
  count_reason(reason);
  count_parked(call, had_core ? reason : without_stand_in(reason), {waited_ns, had_core ? waited_ns : 0}, result);
  return result;
}

}  // namespace weir::path
