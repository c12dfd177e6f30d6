// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "meter/counters.h"

namespace weir::path {

// A task that yields again and again spins: for a lock, or a flag. What it spins for may be a task's that was set aside,
// which a thread has to come free for. So now and then the one that yields is set aside itself, for a moment.

inline bool others_are_aside() { return meter::gauges.aside.load(std::memory_order_relaxed) > 0; }

// Counts a yield of what runs here. Is it time to stand back? Never outside all places; but in a team also what is no
// task that could be set aside.
inline bool yields_in_vain() {
  constexpr std::int32_t patience = 32;
  base::Thread& thread = base::self_unsuspended();
  if (!thread.place && !thread.omp) return false;
  if (++thread.yields < patience) return false;
  thread.yields = 0;
  return others_are_aside();
}

// Lets others go on for a moment: the calling task is set aside, or what is ready goes on on top of it. False: neither
// may be here, and nothing was done. After true the caller may stand on another thread.
bool stand_back();

}  // namespace weir::path
