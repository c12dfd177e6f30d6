// SPDX-License-Identifier: Apache-2.0
// Which of a wide team's threads take the pieces of a dynamic loop. All may; where the cores are busy all the time, fewer do it with
// less: each thread has a stack, a heap and buffers of its own that the caches must hold. So one that has done its piece stays
// behind while a crew of others goes on. No loop says who runs which piece, so that changes nothing but the time.
#include "omp_ext/loop_piece.h"

#include <atomic>

#include "base/clock.h"
#include "gate/gate.h"
#include "meter/teams.h"
#include "meter/trace.h"
#include "omp_ext/region.h"
#include "sys/process.h"

namespace weir::team {
namespace {

constexpr std::int64_t window_ns = 10 * base::ns_per_ms;
// Who stays behind is called; but where those at work all wait for something that we don't see, nobody would be.
constexpr std::int64_t longest_ns = 400 * base::ns_per_ms;

// One region with stand-ins runs at a time, so these are of one loop, or of two that follow each other.
constinit std::atomic<std::uint32_t> loops_over{0};  // how often a thread found that there was no piece left
constinit std::atomic<bool> has_lookout{false};      // of those behind, one looks at each window

struct Window {
  std::atomic<std::int64_t> end_ns{0};
  std::atomic<bool> taken{false};  // by who looks at it, and has these to itself:
  std::int64_t began_ns = 0, cpu_ns = 0;
};
constinit Window window;

void note_smallest(std::int64_t crew) {
  std::int64_t least = meter::teams.smallest_crew.load(std::memory_order_relaxed);
  if (crew < Crew::all && (!least || crew < least)) meter::teams.smallest_crew.store(crew, std::memory_order_relaxed);
}

// One that was not looked at for long may have seen more than this loop.
bool is_recent(std::int64_t wall_ns) { return wall_ns < 4 * window_ns; }

void look_closely(Region& region, std::int64_t now_ns) {
  std::int64_t cpu_ns = sys::process_cpu_ns();
  std::int64_t wall_ns = now_ns - window.began_ns, cores = gate::the_gate.cores.limit();
  if (is_recent(wall_ns)) {
    double busy = static_cast<double>(cpu_ns - window.cpu_ns) / static_cast<double>(wall_ns * cores);
    std::int64_t most = region.crew.step(busy, gate::the_gate.reserve.at_work(), cores);
    region.crew_most.store(most);
    note_smallest(most);
  }
  window.cpu_ns = cpu_ns;
  window.began_ns = now_ns;
  window.end_ns.store(now_ns + window_ns, std::memory_order_relaxed);
}

void look_at_window(Region& region) {
  std::int64_t now_ns = base::now_ns();
  if (now_ns < window.end_ns.load(std::memory_order_relaxed)) return;
  if (window.taken.exchange(true, std::memory_order_acquire)) return;
  look_closely(region, now_ns);
  window.taken.store(false, std::memory_order_release);
  gate::Reserve& reserve = gate::the_gate.reserve;
  while (reserve.anyone_behind() && reserve.at_work() < region.crew_most.load(std::memory_order_relaxed)) reserve.call_one();
}

void stay_behind(Region& region, std::uint32_t loops_over_at_first) {
  gate::give_core();
  meter::Traced traced = meter::begins(meter::Track::core_wait, "stays behind");
  std::int64_t end_ns = base::now_ns() + longest_ns;
  auto useless = [&] {
    return loops_over.load() == loops_over_at_first && gate::the_gate.reserve.at_work() >= region.crew_most.load();
  };
  bool called = false;
  while (!called && useless() && base::now_ns() < end_ns) {
    bool lookout = !has_lookout.exchange(true, std::memory_order_relaxed);
    called = gate::the_gate.reserve.stay(lookout ? window_ns : longest_ns, useless);
    if (!lookout) continue;
    has_lookout.store(false, std::memory_order_relaxed);
    if (!called) look_at_window(region);
  }
  meter::ends(traced, meter::Track::core_wait, "stays behind");
  gate::take_core_at_once();
}

void finds_loop_over(base::TeamSeat& seat) {
  leave_loop(seat);
  loops_over.fetch_add(1);
  gate::the_gate.reserve.call_all();
}

}  // namespace

void leave_loop(base::TeamSeat& seat) {
  if (!seat.in_loop) return;
  seat.in_loop = false;
  gate::the_gate.reserve.leave();
}

// Once somebody was seen to find the loop over there is nothing to stay behind for: that one may wait for this thread, at a barrier,
// or with its part of what comes next. A team within a team has pieces that nobody else takes.
void before_next_piece(base::Thread& thread) {
  base::TeamSeat& seat = thread.seat;
  Region* region = region_of_seat(seat.team);
  if (!seat.in_loop || is_inner(seat.team) || region == &no_region) return;
  look_at_window(*region);
  if (!thread.holds_core || thread.lock_depth > 0) return;
  if (gate::the_gate.reserve.at_work() <= region->crew_most.load(std::memory_order_relaxed)) return;
  if (seat.loops_over != loops_over.load(std::memory_order_relaxed) || base::in_signal_handler()) return;
  stay_behind(*region, seat.loops_over);
}

void after_next_piece(base::Thread& thread, bool any) {
  base::TeamSeat& seat = thread.seat;
  if (!any) return finds_loop_over(seat);
  if (seat.in_loop) return;
  seat.in_loop = true;
  seat.loops_over = loops_over.load();
  gate::the_gate.reserve.enter();
}

}  // namespace weir::team
