// SPDX-License-Identifier: Apache-2.0
// Which of a wide team's threads take the pieces of a dynamic loop. All may; where they keep the cores busy all the time, fewer do it
// with less: each thread has a stack, a heap and buffers of its own that the caches must hold. So one that has done its piece
// stays behind while a crew of others goes on. No such loop says who runs which piece, so that changes nothing but the time.
#include "omp_ext/loop_piece.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/clock.h"
#include "base/settings.h"
#include "gate/gate.h"
#include "meter/teams.h"
#include "meter/trace.h"
#include "omp_ext/region.h"
#include "omp_ext/team_plan.h"
#include "sys/process.h"

namespace weir::team {
namespace {

// A window shows the crew's share of the cores' time when enough pieces are done, or nothing more for long.
constexpr std::int64_t least_window_ns = 10 * base::ns_per_ms, longest_window_ns = 100 * base::ns_per_ms;
constexpr std::int64_t enough_pieces = 32;
// Of pieces shorter than that many pass before the thread looks at all: its own clock costs a system call. What it computed for
// since its last look counts in a later window then, as much each time.
constexpr std::int64_t between_looks_ns = base::ns_per_ms;
// Who stays behind is called; but where those at work all wait for something that we don't see, nobody would be.
constexpr std::int64_t longest_ns = 400 * base::ns_per_ms;

// One region with stand-ins runs at a time, so these are of one loop, or of two that follow each other. (Where teams must all be of
// one size there may be several: there, all are at work.)
constinit std::atomic<std::uint32_t> loops_over{0};  // how often a thread found that there was no piece left

struct Window {
  std::atomic<std::int64_t> began_ns{0};
  std::atomic<std::int64_t> pieces{0}, cpu_ns{0};  // done since, and computed for by those that did them
  std::atomic<std::int32_t> looked_at_by{0};       // the process: to a forked child, nobody looks
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

void step(Region& region, std::int64_t wall_ns) {
  gate::Gate& gate = gate::the_gate;
  std::int64_t cores = gate.cores.limit();
  std::int64_t cpu_ns = window.cpu_ns.exchange(0, std::memory_order_relaxed);
  window.pieces.store(0, std::memory_order_relaxed);
  // One that was not looked at for long may have seen more than this loop.
  if (wall_ns > 4 * longest_window_ns) return;
  double busy = always_busy() ? 1 : static_cast<double>(cpu_ns) / static_cast<double>(wall_ns * cores);
  std::int64_t most = region.crew.step(busy, gate.reserve.at_work(), cores);
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
  gate::Reserve& reserve = gate::the_gate.reserve;
  while (reserve.behind() > 0 && reserve.at_work() < region.crew_most.load(std::memory_order_relaxed)) reserve.call_one();
}

// Until it is of use, or the loop is over; true: that.
bool wait_behind(Region& region, std::uint32_t over_at_first) {
  gate::Reserve& reserve = gate::the_gate.reserve;
  auto is_loop_over = [&] { return loops_over.load() != over_at_first; };
  auto useless = [&] { return !is_loop_over() && reserve.at_work() >= region.crew_most.load(); };
  std::int64_t now_ns = base::now_ns();
  // Not all of them at once.
  const std::int64_t end_ns = now_ns + longest_ns + reserve.behind() * base::ns_per_ms;
  for (; now_ns < end_ns; now_ns = base::now_ns()) {
    bool lookout = reserve.become_lookout();
    auto woken = reserve.stay(lookout ? least_window_ns : end_ns - now_ns, lookout, useless);
    if (lookout && woken == gate::Reserve::Woken::timeout) look_at_window(region, base::now_ns());
    if (lookout) reserve.resign_as_lookout();
    if (woken != gate::Reserve::Woken::timeout) break;
  }
  return is_loop_over();
}

void stay_behind(Region& region, std::uint32_t over_at_first) {
  gate::give_core();
  meter::Traced traced = meter::begins(meter::Track::core_wait, "stays behind");
  bool over = wait_behind(region, over_at_first);
  meter::ends(traced, meter::Track::core_wait, "stays behind");
  // With the loop over it has a barrier to come to, for which others wait.
  if (over || gate::the_gate.pieces.are_short()) gate::take_core_at_once();
  else gate::take_core();
}

}  // namespace

void loop_is_over(base::TeamSeat& seat) {
  seat.takes_pieces = false;
  if (!seat.in_loop) return;
  seat.in_loop = false;
  gate::the_gate.reserve.leave();
  loops_over.fetch_add(1);
  gate::the_gate.reserve.call_all();
}

// Once somebody was seen to find the loop over there is nothing to stay behind for: that one may wait for this thread, at a barrier,
// or with its part of what comes next.
void before_next_piece(base::Thread& thread) {
  base::TeamSeat& seat = thread.seat;
  Region* region = region_of_seat(seat.team);
  if (!seat.in_loop) return;
  ++seat.pieces;
  std::int64_t now_ns = base::now_ns();
  if (now_ns - seat.looked_ns < between_looks_ns || region == &no_region || team_plan().freedom == Freedom::same) return;
  seat.looked_ns = now_ns;
  std::int64_t cpu_ns = sys::thread_cpu_ns();
  window.cpu_ns.fetch_add(cpu_ns - seat.piece_cpu_ns, std::memory_order_relaxed);
  window.pieces.fetch_add(seat.pieces, std::memory_order_relaxed);
  seat.piece_cpu_ns = cpu_ns;
  seat.pieces = 0;
  look_at_window(*region, now_ns);
  if (!thread.holds_core || thread.lock_depth > 0) return;
  if (gate::the_gate.reserve.at_work() <= region->crew_most.load(std::memory_order_relaxed)) return;
  if (seat.loops_over != loops_over.load(std::memory_order_relaxed) || base::in_signal_handler()) return;
  stay_behind(*region, seat.loops_over);
}

void after_next_piece(base::Thread& thread, bool any) {
  base::TeamSeat& seat = thread.seat;
  if (!any) return loop_is_over(seat);
  if (seat.in_loop) return;
  seat.in_loop = true;
  seat.loops_over = loops_over.load();
  seat.pieces = 0;
  seat.looked_ns = base::now_ns();
  seat.piece_cpu_ns = sys::thread_cpu_ns();
  gate::the_gate.reserve.enter();
}

}  // namespace weir::team
