// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include "base/clock.h"
#include "base/thread.h"
#include "gate/few.h"
#include "meter/counters.h"
#include "meter/trace.h"

namespace weir::gate {
namespace {

constexpr const char* waits_for_core = "waits for a core";

void note_core(base::Thread& thread, bool holds) {
  thread.holds_core = holds;
  if (thread.is_away) thread.is_away->store(!holds, std::memory_order_relaxed);
}

}  // namespace

constinit Gate the_gate;

void Gate::idle_yielded(std::int64_t took_ns) {
  constexpr std::int64_t long_ns = base::ns_per_ms, most_ns = 100 * base::ns_per_ms;
  if (took_ns < long_ns) return;
  std::int64_t before = slow_yields_ns_.load(std::memory_order_relaxed);
  slow_yields_ns_.store(before + took_ns < most_ns ? before + took_ns : most_ns, std::memory_order_relaxed);
}

bool Gate::idle_makes_way() {
  constexpr std::int64_t worth_ns = 200 * base::ns_per_us;
  if (slow_yields_ns_.load(std::memory_order_relaxed) < worth_ns || cores.waiting() == 0) return false;
  slow_yields_ns_.fetch_sub(worth_ns, std::memory_order_relaxed);
  return true;
}

void take_core() {
  base::Thread& thread = base::self();
  if (thread.holds_core) return;
  // Others may hold their cores only to wait for that lock.
  if (thread.lock_depth > 0) return take_core_at_once();
  note_core(thread, true);
  meter::Traced traced = meter::begins(meter::Track::core_wait, waits_for_core);
  std::int64_t bound_ns = the_gate.wait_ns.load(std::memory_order_relaxed);
  bool in_time = the_gate.lets_few_go_on() ? take_core_among_few() : the_gate.cores.take(bound_ns);
  meter::ends(traced, meter::Track::core_wait, waits_for_core);
  if (!in_time) meter::mine().reasons[static_cast<int>(meter::Reason::gate_timeout)].add(1);
  meter::core_taken();
}

void take_core_at_once() {
  base::Thread& thread = base::self();
  if (thread.holds_core) return;
  note_core(thread, true);
  the_gate.cores.take_over();
  meter::core_taken();
}

namespace {

constexpr std::int64_t longest_before_begin_ns = 10'000 * base::ns_per_ms;

void wait_among_others() {
  // A stand-in that waits in vain goes on over the limit, and stands back again at its next call. So this wait is longer
  // than others: a hundred that return every 100 ms cost more than they bring.
  constexpr std::int64_t longer = 4;
  the_gate.cores.give();
  if (the_gate.lets_few_go_on()) take_core_among_few();
  else the_gate.cores.take(longer * the_gate.wait_ns.load(std::memory_order_relaxed));
}

}  // namespace

void take_core_to_begin() {
  base::Thread& thread = base::self();
  if (!the_gate.lets_few_go_on() || thread.lock_depth > 0) return take_core();
  if (thread.holds_core) return;
  note_core(thread, true);
  the_gate.cores.take(longest_before_begin_ns, Cores::looks_for_work);
  meter::core_taken();
}

void wait_to_begin_piece() {
  if (!the_gate.lets_few_go_on()) return;
  base::Thread& thread = base::self();
  if (!thread.holds_core || thread.lock_depth > 0 || base::in_signal_handler()) return;
  the_gate.cores.make_way(longest_before_begin_ns);
}

void stand_back() {
  // A file that is opened at once and then waited for is no sign of calls that never block.
  constexpr std::int32_t sign = 32;
  base::Thread& thread = base::self();
  if (!thread.holds_core || !(thread.place & base::in_omp_team) || thread.lock_depth > 0) return;
  if (++thread.hits_in_row % sign == 0) the_gate.memory.look_if_due(base::now_ns());
  if ((thread.hits_in_row < sign && !the_gate.lets_few_go_on()) || !the_gate.cores.crowded() || base::in_signal_handler()) return;
  wait_among_others();
}

bool make_way_while_spinning() {
  base::Thread& thread = base::self();
  if (!thread.holds_core || thread.lock_depth > 0 || !the_gate.cores.wanted() || base::in_signal_handler()) return false;
  if (the_gate.lets_few_go_on()) {
    give_core();
    take_core();
    return true;
  }
  // Given back and then taken, it would have the core again before the one it called is awake, and that one may hold the lock.
  note_core(thread, false);
  thread.hits_in_row = 0;
  thread.went_on_ns = 0;
  meter::core_given();
  meter::Traced traced = meter::begins(meter::Track::core_wait, waits_for_core);
  bool made_way = the_gate.cores.make_way(the_gate.wait_ns.load(std::memory_order_relaxed), Cores::has_task);
  meter::ends(traced, meter::Track::core_wait, waits_for_core);
  note_core(thread, true);
  meter::core_taken();
  return made_way;
}

void stand_back_where_crowded() {
  base::Thread& thread = base::self();
  bool may_wait = thread.holds_core && (thread.place & base::in_omp_team) && thread.lock_depth == 0;
  if (may_wait && the_gate.cores.crowded() && !base::in_signal_handler()) wait_among_others();
}

void give_core() {
  base::Thread& thread = base::self();
  if (!thread.holds_core) return;
  note_core(thread, false);
  thread.hits_in_row = 0;
  thread.went_on_ns = 0;
  meter::core_given();
  the_gate.cores.give();
}

void let_another_begin() {
  Gate& gate = the_gate;
  if (gate.lets_few_go_on() || gate.reserve.at_work() >= gate.memory.most_at_work()) return;
  bool of_use = gate.reserve.has_one_for_idle_core() && gate.cores.held() < gate.cores.limit() && gate.permits.any_left();
  if (of_use) gate.reserve.call_one();
}

// Of the time since it went on, the thread had a core for about as much of it as there are cores for who computes.
void give_core_to_wait(std::int64_t now_ns) {
  base::Thread& thread = base::self();
  if (thread.holds_core && thread.went_on_ns) {
    std::int64_t cores = the_gate.cores.limit(), held = the_gate.cores.held();
    std::int64_t took = now_ns - thread.went_on_ns;
    the_gate.pieces.add(held > cores ? took * cores / held : took);
  }
  give_core();
  let_another_begin();
}

std::int64_t take_core_back(std::int64_t now_ns) {
  bool at_once = the_gate.pieces.are_short() && !the_gate.lets_few_go_on();
  if (at_once) take_core_at_once();
  else take_core();
  return base::self().went_on_ns = at_once ? now_ns : base::now_ns();
}

}  // namespace weir::gate
