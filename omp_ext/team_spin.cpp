// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_spin.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "gate/gate.h"
#include "gate/others.h"
#include "omp_ext/next.h"
#include "omp_ext/team_plan.h"

namespace weir::team {
namespace {

constinit omp::Next<int()> real_max_threads("omp_get_max_threads");
constinit omp::Next<int()> real_get_blocktime("kmp_get_blocktime");
constinit omp::Next<void(int)> real_set_blocktime("kmp_set_blocktime");

constinit std::atomic<bool> spinning_was_set{false};

// It says 0 by itself, of a team that is larger than the machine, and its threads spin all the same until it is told.
void sleep_at_once(base::TeamSeat& seat) {
  constexpr int usual_ms = 200;
  stop_spinning(seat);
  if (seat.blocktime_ms != 0) return;
  real_set_blocktime.get()(0);
  seat.blocktime_ms = usual_ms;
}

void sleep_among_others(base::TeamSeat& seat) {
  sleep_at_once(seat);
  if (seat.blocktime_ms >= 0) gate::waits_asleep(true);
}

// libomp would not let so many threads spin, but takes the time that we put back for the program's wish.
bool are_too_many_to_spin(int asked) {
  const TeamPlan& plan = team_plan();
  if (!numbers_count_cores()) return asked > plan.cores;
  return (asked ? asked : size_without_us(plan)) > std::min(plan.cores, gate::the_gate.cores.limit());
}

bool are_told_how_to_wait() {
  static const bool told = std::getenv("KMP_BLOCKTIME") || std::getenv("OMP_WAIT_POLICY");
  return told;
}

bool sleeps_among_others() { return !are_told_how_to_wait() && gate::others_have_a_core_lately(); }

// libgomp has its threads sleep almost at once where they are more than cores, and libomp stands in for it.
bool sleeps_as_with_libgomp(omp::Compiler by, int asked) {
  if (by != omp::Compiler::gcc || are_told_how_to_wait() || !real_max_threads.get()) return false;
  return (asked ? asked : real_max_threads.get()()) > gate::the_gate.cores.limit();
}

}  // namespace

void stop_spinning(base::TeamSeat& seat) {
  if (!real_get_blocktime.get() || !real_set_blocktime.get()) return;
  seat.blocktime_ms = real_get_blocktime.get()();
  if (seat.blocktime_ms > 0) real_set_blocktime.get()(0);
  spinning_was_set.store(true, std::memory_order_relaxed);
}

void spin_less(base::TeamSeat& seat, omp::Compiler by, int asked) {
  bool too_many = are_too_many_to_spin(asked);
  if (too_many && sleeps_among_others()) return sleep_among_others(seat);
  if (sleeps_as_with_libgomp(by, asked)) return sleep_at_once(seat);
  if (too_many && spinning_was_set.load(std::memory_order_relaxed)) stop_spinning(seat);
}

void spin_again(base::TeamSeat& seat) {
  gate::waits_asleep(false);
  if (seat.blocktime_ms > 0) real_set_blocktime.get()(seat.blocktime_ms);
  seat.blocktime_ms = -1;
}

}  // namespace weir::team
