// SPDX-License-Identifier: Apache-2.0
// Which of a wide team's threads take the pieces of a dynamic loop. All may; where they keep the cores busy all the time, fewer do
// it with less: each thread has a stack, a heap and buffers of its own that the caches must hold. So one that comes to the loop, or
// has done its piece, stays behind while a crew of others goes on. No such loop says who runs which piece, so that changes nothing
// but the time.
#include "omp_ext/loop_piece.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/settings.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/teams.h"
#include "meter/trace.h"
#include "omp_ext/region.h"
#include "omp_ext/region_code.h"
#include "omp_ext/team_plan.h"
#include "sys/process.h"

namespace weir::team {
namespace {

// A window shows the process's share of the cores' time when enough pieces are done, or nothing more for long.
constexpr std::int64_t least_window_ns = 10 * base::ns_per_ms, longest_window_ns = 100 * base::ns_per_ms;
constexpr std::int64_t enough_pieces = 32;
// Of pieces shorter than that many pass before the thread looks at all.
constexpr std::int64_t between_looks_ns = base::ns_per_ms;
// Who stays behind is called; but where those at work all wait for something that we don't see, nobody would be. For so long none of
// them has done a piece then.
constexpr std::int64_t longest_ns = 400 * base::ns_per_ms;

// One region with stand-ins runs at a time, so these are of one loop, or of two that follow each other. (Where teams must all be of
// one size there may be several: there, all are at work.)
constinit std::atomic<std::uint32_t> loops_over{0};  // how often a thread found that there was no piece left
constinit std::atomic<std::uint64_t> looks{0};       // how often one that had done a piece, or several, looked

struct Window {
  std::atomic<std::int64_t> began_ns{0};
  std::atomic<std::int64_t> pieces{0};        // done since
  std::atomic<std::int32_t> looked_at_by{0};  // the process: to a forked child, nobody looks
  std::int64_t cpu_ns = 0;                    // when it began the process had computed for so long; of who looks
};
constinit Window window;

void note_smallest(std::int64_t crew) {
  std::int64_t least = meter::teams.smallest_crew.load(std::memory_order_relaxed);
  if (crew < Crew::all && (!least || crew < least)) meter::teams.smallest_crew.store(crew, std::memory_order_relaxed);
}

// For tests: the crew shrinks whatever it does, and stays small.
bool always_busy() {
  static const bool wanted = [] {
    const char* words = std::getenv("WEIR_DEBUG");
    return words && base::lists(words, "small-crew");
  }();
  return wanted;
}

bool in_turns() { return base::self_unsuspended().seat.turns.in_turns; }

// As many as would be at it without us, or as can compute.
std::int64_t enough_in_turns(const Region& region) {
  return std::max(gate::the_gate.cores.limit(), region.without_us.load(std::memory_order_relaxed));
}

std::int64_t few() { return Crew::least_a_core * gate::the_gate.cores.limit(); }

// Of a region of which it is not known yet whether its calls wait, a few begin, and others as a core would be idle.
std::int64_t most_at_work(const Region& region) {
  if (region.in_order.load()) return Crew::all;
  if (in_turns()) return enough_in_turns(region);
  std::int64_t most = region.begins.load() ? few() : region.crew_most.load();
  return std::min(most, gate::the_gate.memory.most_at_work());
}

void all_may_begin(Region& region) {
  region.begins.store(false);
  gate::the_gate.reserve.for_idle_cores(false);
}

// How the first fare: if the cores are busy with them, they do; if not, twice as many begin, as long as they would have permits.
std::int64_t step_of_first(Region& region, double busy) {
  gate::Reserve& reserve = gate::the_gate.reserve;
  std::int64_t at_work = reserve.at_work();
  // A window in which some came says nothing.
  if (region.began.exchange(at_work) < at_work) return Crew::all;
  if (Crew::keeps_cores_busy(busy)) {
    std::int64_t most = std::max(at_work, few());
    region.crew.begin_with(most);
    region.crew_most.store(most);
    all_may_begin(region);
    return most;
  }
  bool too_few = Crew::is_surely_too_few(busy) && gate::the_gate.permits.any_left();
  std::int64_t more = std::min(at_work, gate::the_gate.memory.most_at_work() - at_work);
  for (std::int64_t i = 0; i < more && too_few; ++i) reserve.call_one();
  return Crew::all;
}

void step(Region& region, std::int64_t wall_ns) {
  gate::Gate& gate = gate::the_gate;
  std::int64_t cores = gate.cores.limit();
  std::int64_t cpu_now_ns = sys::process_cpu_ns(), cpu_ns = cpu_now_ns - std::exchange(window.cpu_ns, cpu_now_ns);
  window.pieces.store(0, std::memory_order_relaxed);
  // One that was not looked at for long may have seen more than this loop.
  if (wall_ns > 4 * longest_window_ns || in_turns()) return;
  double busy = always_busy() ? 1 : static_cast<double>(cpu_ns) / static_cast<double>(wall_ns * cores);
  std::int64_t most = region.begins.load() ? step_of_first(region, busy) : region.crew.step(busy, gate.reserve.at_work(), cores);
  region.crew_most.store(most);
  note_smallest(most);
}

bool is_over(std::int64_t wall_ns) {
  if (wall_ns < least_window_ns) return false;
  std::int64_t at_work = gate::the_gate.reserve.at_work(), enough = std::max(at_work / 2, std::min(2 * at_work, enough_pieces));
  return wall_ns >= longest_window_ns || window.pieces.load(std::memory_order_relaxed) >= enough;
}

void look_at_window(Region& region, std::int64_t now_ns) {
  if (!is_over(now_ns - window.began_ns.load(std::memory_order_relaxed))) return;
  std::int32_t by = window.looked_at_by.load(std::memory_order_relaxed), mine = sys::process_id();
  if (by == mine || !window.looked_at_by.compare_exchange_strong(by, mine, std::memory_order_acquire)) return;
  step(region, now_ns - window.began_ns.load(std::memory_order_relaxed));
  window.began_ns.store(now_ns, std::memory_order_relaxed);
  window.looked_at_by.store(0, std::memory_order_release);
  gate::Gate& gate = gate::the_gate;
  gate::Reserve& reserve = gate.reserve;
  while (reserve.behind() > 0 && reserve.at_work() < most_at_work(region) && gate.permits.any_left()) reserve.call_one();
}

// Until it is of use, or the loop is over; true: that.
bool wait_behind(Region& region, std::uint32_t over_at_first) {
  gate::Reserve& reserve = gate::the_gate.reserve;
  auto is_loop_over = [&] { return loops_over.load() != over_at_first; };
  auto useless = [&] { return !is_loop_over() && reserve.at_work() >= most_at_work(region); };
  const std::int64_t most_ns = longest_ns + reserve.behind() * base::ns_per_ms;  // not all of them at once
  std::int64_t now_ns = base::now_ns(), end_ns = now_ns + most_ns;
  for (std::uint64_t seen = looks.load(); true; now_ns = base::now_ns()) {
    if (now_ns >= end_ns) {
      std::uint64_t before = std::exchange(seen, looks.load());
      if (seen == before && !gate::the_gate.lets_few_go_on()) break;
      end_ns = now_ns + most_ns;
    }
    bool lookout = reserve.become_lookout();
    auto woken = reserve.stay(lookout ? least_window_ns : end_ns - now_ns, lookout, useless);
    if (lookout && woken == gate::Reserve::Woken::timeout) look_at_window(region, base::now_ns());
    if (lookout) reserve.resign_as_lookout();
    if (woken != gate::Reserve::Woken::timeout) break;
  }
  return is_loop_over();
}

void stay_behind(Region& region, std::uint32_t over_at_first) {
  gate::the_gate.reserve.for_idle_cores(region.begins.load() || in_turns());
  gate::give_core();
  meter::Traced traced = meter::begins(meter::Track::core_wait, "stays behind");
  bool over = wait_behind(region, over_at_first);
  meter::ends(traced, meter::Track::core_wait, "stays behind");
  // With the loop over it has a barrier to come to, for which others wait.
  if (over || gate::the_gate.pieces.are_short()) gate::take_core_at_once();
  else gate::take_core();
}

void enter(base::TeamSeat& seat) {
  seat.in_loop = true;
  seat.loops_over = loops_over.load();
  seat.pieces = 0;
  seat.looked_ns = base::now_ns();
  gate::the_gate.reserve.enter();
}

// It comes to the loop, and takes its first piece when that is of use.
void begin(base::Thread& thread, Region& region) {
  if (&region == &no_region || team_plan().freedom == Freedom::same) return;
  if (!thread.holds_core || thread.lock_depth > 0 || base::in_signal_handler()) return;
  enter(thread.seat);
  gate::Gate& gate = gate::the_gate;
  if (gate.reserve.at_work() <= most_at_work(region)) return;
  bool of_use = gate.cores.held() <= gate.cores.limit() && gate.permits.any_left();
  if (region.begins.load() && of_use && gate.reserve.at_work() <= gate.memory.most_at_work()) return;
  stay_behind(region, thread.seat.loops_over);
}

// So many pieces of loops with turns were done since one blocked.
constinit std::atomic<std::int64_t> since_one_blocked{0};

void note_piece(base::TeamSeat& seat) {
  std::int64_t parked = meter::mine().parked.value();
  if (std::exchange(seat.parked_before_piece, parked) != parked) since_one_blocked.store(0, std::memory_order_relaxed);
  else since_one_blocked.fetch_add(1, std::memory_order_relaxed);
}

bool pieces_block() {
  return meter::gauges.blocked.load(std::memory_order_relaxed) > 0 || since_one_blocked.load(std::memory_order_relaxed) < few();
}

// With a turn that it left out, others would wait for it.
bool may_stay_behind(const base::Thread& thread) {
  bool had_all_turns = thread.seat.turns.turn == thread.seat.turns.end;
  return had_all_turns && thread.holds_core && thread.lock_depth == 0 && !base::in_signal_handler();
}

}  // namespace

void before_next_in_turn(base::Thread& thread) {
  base::TeamSeat& seat = thread.seat;
  Region& region = *region_of_seat(seat.team);
  if (&region == &no_region || team_plan().freedom == Freedom::same) return;
  note_piece(seat);
  if (!seat.in_loop) enter(seat);
  else looks.fetch_add(1, std::memory_order_relaxed);
  gate::Gate& gate = gate::the_gate;
  if (gate.reserve.at_work() <= enough_in_turns(region) || !may_stay_behind(thread)) return;
  if (pieces_block() && gate.cores.held() <= gate.cores.limit() && gate.permits.any_left()) return;
  if (seat.loops_over != loops_over.load(std::memory_order_relaxed)) return;
  stay_behind(region, seat.loops_over);
}

void begins_to_wait_for_turn() {
  gate::give_core();
  if (pieces_block()) gate::let_another_begin();
}

void loop_is_over(base::TeamSeat& seat) {
  seat.takes_pieces = false;
  if (!seat.in_loop) return;
  seat.in_loop = false;
  gate::Reserve& reserve = gate::the_gate.reserve;
  Region& region = *region_of_seat(seat.team);
  if (region.begins.load(std::memory_order_relaxed) && reserve.behind() == 0 && reserve.at_work() > few()) all_may_begin(region);
  reserve.leave();
  loops_over.fetch_add(1);
  reserve.call_all();
}

// Once somebody was seen to find the loop over there is nothing to stay behind for: that one may wait for this thread, at a barrier,
// or with its part of what comes next.
void before_next_piece(base::Thread& thread) {
  base::TeamSeat& seat = thread.seat;
  Region* region = region_of_seat(seat.team);
  gate::wait_to_begin_piece();
  if (!seat.in_loop) return begin(thread, *region);
  ++seat.pieces;
  std::int64_t now_ns = base::now_ns(), at_work = gate::the_gate.reserve.at_work();
  bool too_many = at_work > gate::the_gate.memory.most_at_work();
  if ((now_ns - seat.looked_ns < between_looks_ns && !too_many) || region == &no_region || team_plan().freedom == Freedom::same) return;
  seat.looked_ns = now_ns;
  looks.fetch_add(1, std::memory_order_relaxed);
  window.pieces.fetch_add(seat.pieces, std::memory_order_relaxed);
  seat.pieces = 0;
  look_at_window(*region, now_ns);
  if (!thread.holds_core || thread.lock_depth > 0) return;
  if (!too_many && (at_work <= most_at_work(*region) || region->begins.load())) return;
  if (seat.loops_over != loops_over.load(std::memory_order_relaxed) || base::in_signal_handler()) return;
  stay_behind(*region, seat.loops_over);
}

void region_stays_narrow() {
  base::TeamSeat& seat = base::self_unsuspended().seat;
  Region& region = *region_of_seat(seat.team);
  if (is_wide(seat.team) && &region != &no_region) region.barred.store(true, std::memory_order_relaxed);
  if (is_wide(seat.team)) meter::teams.narrow.store(passes_wait);
}

void pieces_wait_for_each_other() {
  region_stays_narrow();
  base::TeamSeat& seat = base::self_unsuspended().seat;
  if (!is_wide(seat.team) || is_inner(seat.team)) return;
  Region& region = *region_of_seat(seat.team);
  if (&region == &no_region || region.in_order.load(std::memory_order_relaxed)) return;
  region.in_order.store(true);
  gate::the_gate.reserve.call_all();
}

void after_next_piece(base::Thread& thread, bool any) {
  base::TeamSeat& seat = thread.seat;
  if (!any) return loop_is_over(seat);
  if (!seat.in_loop) enter(seat);
}

}  // namespace weir::team
