// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::omp {

// How the iterations of a taskloop are shared out: the first `longer` tasks have one more than the others; a strict
// grainsize leaves the last task what remains.
struct Share {
  std::uint64_t tasks = 0;
  std::uint64_t each = 0;
  std::uint64_t longer = 0;
  std::uint64_t iterations_of(std::uint64_t task) const { return each + (task < longer); }
};

// schedule 0: no clause, 1: amount is a grainsize, 2: a number of tasks; as LLVM's run time does it.
constexpr Share share_out(std::uint64_t trips, int schedule, std::uint64_t amount, bool strict, std::int32_t threads) {
  if (!trips) return {};
  if (schedule == 1) {
    if (amount >= trips) return {1, trips, 0};
    if (strict) return {(trips + amount - 1) / amount, amount, 0};
    std::uint64_t tasks = trips / amount;
    return {tasks, trips / tasks, trips % tasks};
  }
  constexpr std::uint64_t tasks_per_thread = 10;
  std::uint64_t tasks = schedule == 2 ? amount : tasks_per_thread * static_cast<std::uint64_t>(threads);
  if (tasks > trips) return {trips, 1, 0};
  return {tasks, trips / tasks, trips % tasks};
}

}  // namespace weir::omp
