// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_written.h"

#include <atomic>

namespace weir::team {
namespace {

// Of one that was unloaded a place stays: what is loaded there later, and asks, is told the number without weir, or is looked at again.
constexpr int most = 128;
constinit std::atomic<std::uintptr_t> places[most]{};

}  // namespace

bool note_written(std::uintptr_t returns_to) {
  for (auto& place : places) {
    std::uintptr_t there = place.load(std::memory_order_relaxed);
    if (!there && place.compare_exchange_strong(there, returns_to, std::memory_order_relaxed)) return true;
    if (there == returns_to) return true;
  }
  return false;
}

bool any_written() { return places[0].load(std::memory_order_relaxed) != 0; }

bool is_written(std::uintptr_t returns_to) {
  for (const auto& place : places) {
    std::uintptr_t there = place.load(std::memory_order_relaxed);
    if (!there || there == returns_to) return there != 0;
  }
  return false;
}

}  // namespace weir::team
