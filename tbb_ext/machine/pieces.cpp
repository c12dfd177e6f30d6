// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/pieces.h"

#include <atomic>
#include <cstdint>

#include "meter/counters.h"
#include "tbb_ext/machine/processors.h"

namespace weir::tbb {
namespace {

constexpr std::int32_t most_to_come = 16384;
constexpr std::int64_t enough_waiting = 16384;
constinit std::atomic<std::int32_t> to_come{0};  // a hint: races lose or gain a few

}  // namespace

void a_call_waits() {
  if (to_come.load(std::memory_order_relaxed) < most_to_come) to_come.fetch_add(1, std::memory_order_relaxed);
}

bool more_pieces_wanted() {
  if (to_come.load(std::memory_order_relaxed) <= 0) return false;
  if (!told_more() || held_to_the_truth() || meter::gauges.in_flight.value() >= enough_waiting) return false;
  to_come.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

}  // namespace weir::tbb
