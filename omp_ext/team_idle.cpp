// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_idle.h"

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "lane/runtime_code.h"
#include "omp_ext/lock_wait.h"
#include "omp_ext/runtime_lock.h"
#include "omp_ext/seat.h"
#include "omp_ext/team_waits.h"
#include "sys/futex.h"

namespace weir::team {
namespace {

constexpr std::int64_t apart_ns = 200'000;      // yields that are farther apart belong to different waits
constexpr std::int64_t longest_ns = 10 * base::ns_per_ms;

// Work wakes nobody: who sleeps looks for it again after a part of the time it has waited, and so is late by that part at most.
std::int64_t nap_ns(std::int64_t idle_ns) { return std::clamp(idle_ns / 8, spins_for_work_ns, longest_ns); }

}  // namespace

void sleep_for_lack_of_work(std::int64_t idle_ns, std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  gate::give_core();
  gate::let_another_begin();
  omp::Critical::core_is_idle();
  sys::futex_wait(word, expected, nap_ns(idle_ns));
}

bool slept_for_lack_of_work(const void* caller) {
  base::Thread& thread = base::self();
  base::TeamSeat& seat = thread.seat;
  // Others may want the lock it holds.
  bool wide = is_wide(seat.team), crowded = is_crowded(seat.team) && !is_inner(seat.team);
  if ((!wide && !crowded) || thread.lock_depth > 0 || !lane::is_runtime_code(caller)) return false;
  std::int64_t now_ns = base::now_ns();
  if (now_ns - seat.idle_seen_ns > apart_ns) seat.idle_since_ns = now_ns;
  seat.idle_seen_ns = now_ns;
  std::int64_t idle_ns = now_ns - seat.idle_since_ns;
  if (idle_ns < spins_for_work_ns || waits_for_runtime_lock(caller)) return false;
  if (crowded) {
    bool slept = slept_beside_tasks(idle_ns);
    if (slept) seat.idle_seen_ns = base::now_ns();
    return slept;
  }
  bool had_core = thread.holds_core;
  std::atomic<std::uint32_t> nobody{0};
  sleep_for_lack_of_work(idle_ns, nobody, 0);
  // In a taskwait it takes a core again when it has found a task, or may go on.
  if (had_core && seat.task_waits == 0) gate::take_core();
  seat.idle_seen_ns = base::now_ns();
  return true;
}

}  // namespace weir::team
