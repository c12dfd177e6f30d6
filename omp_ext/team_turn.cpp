// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_turn.h"

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"
#include "meter/teams.h"
#include "omp_ext/next.h"
#include "omp_ext/region_code.h"
#include "omp_ext/team_plan.h"
#include "sys/process.h"

namespace weir::team {
namespace {

constinit omp::Next<int()> real_active_levels("omp_get_max_active_levels");

constinit std::atomic<std::int32_t> wide_team_of{0};        // the process in which one runs: to a forked child it does not
constinit std::atomic<std::int64_t> wide_root{0};           // the thread that forked the last one, and its process
constinit std::atomic<std::int64_t> wide_root_until_ns{0};  // so long it is the only one to

// The thread, and its process: another one may have been forked off.
std::int64_t root_here() { return std::int64_t{sys::process_id()} << 32 | sys::known_thread_id(); }

// libomp has threads of its own for each thread that forks teams, and keeps them for it: where sixty of the program's do so at once,
// or one after the other, hundreds would be started for each. So it is one's turn for so long.
bool is_turn_of_another_root(std::int64_t root) {
  std::int64_t last = wide_root.load(std::memory_order_relaxed);
  return last != root && last >> 32 == root >> 32 && base::now_ns() < wide_root_until_ns.load(std::memory_order_relaxed);
}

}  // namespace

bool is_root_beside_first(const TeamPlan& plan) {
  static constinit std::atomic<std::int64_t> first_root{0};
  if (plan.freedom != Freedom::same || plan.same_for_all) return false;
  std::int64_t first = first_root.load(std::memory_order_relaxed);
  if (static_cast<std::int32_t>(first) == sys::known_thread_id()) return false;
  std::int64_t here = root_here();
  if (first >> 32 != here >> 32 && first_root.compare_exchange_strong(first, here)) return false;
  base::self().sizes_its_teams = true;
  return true;
}

bool begin_wide_team(const TeamPlan& plan) {
  if (plan.freedom == Freedom::same) return true;
  // Where teams may nest, each thread of a wide one could fork again.
  if (real_active_levels.get() && real_active_levels.get()() > 1) {
    meter::teams.narrow.store(teams_may_nest);
    return false;
  }
  if (is_turn_of_another_root(root_here())) return false;
  std::int32_t mine = sys::process_id();
  return wide_team_of.exchange(mine) != mine;
}

void end_wide_team() {
  constexpr std::int64_t turn_ns = base::ns_per_s;
  wide_root.store(root_here(), std::memory_order_relaxed);
  wide_root_until_ns.store(base::now_ns() + turn_ns, std::memory_order_relaxed);
  wide_team_of.store(0);
}

}  // namespace weir::team
