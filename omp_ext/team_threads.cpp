// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_threads.h"

#include <atomic>
#include <utility>

#include "gate/gate.h"
#include "omp_ext/libomp.h"

namespace weir::team {
namespace {

constinit std::atomic<std::int64_t> at_work{0};

}  // namespace

void team_begins_work(base::TeamSeat& seat, std::int64_t threads) {
  at_work.fetch_add(threads - std::exchange(seat.threads_at_work, threads), std::memory_order_relaxed);
}

void team_ends_work(base::TeamSeat& seat) {
  if (seat.threads_at_work) at_work.fetch_sub(std::exchange(seat.threads_at_work, 0), std::memory_order_relaxed);
}

bool more_threads_than_cores() {
  std::int64_t cores = gate::the_gate.cores.limit();
  return at_work.load(std::memory_order_relaxed) > cores || omp::libomp().num_threads() > cores;
}

}  // namespace weir::team
