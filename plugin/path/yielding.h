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

// So many short yields, of about a microsecond each, are made in vain before one stands back.
constexpr std::int32_t yields_in_patience = 32;

// Counts a yield of what runs here. Is it time to stand back? Never outside all places; but in a team also what is no
// task that could be set aside.
inline bool yields_in_vain() {
  base::Thread& thread = base::self_unsuspended();
  if (!thread.place && !thread.omp) return false;
  if (++thread.yields < yields_in_patience) return false;
  if (!others_are_aside()) {
    thread.yields = 0;
    return false;
  }
  thread.yields -= yields_in_patience;
  return true;
}

// The yield counted last was made, and took so long. Where other programs compute on this core each takes a slice of theirs,
// some milliseconds: it counts as the many short ones it lasted for, and the next times one stands back at once.
inline void yielded(std::int64_t took_ns) {
  constexpr std::int32_t most = 32 * yields_in_patience;
  std::int64_t as_short = took_ns / 1000;
  if (as_short < 2) return;
  base::Thread& thread = base::self_unsuspended();
  thread.yields = static_cast<std::int32_t>(as_short + thread.yields < most ? as_short + thread.yields : most);
}

// Lets others go on for a moment: the calling task is set aside, or what is ready goes on on top of it. False: neither
// may be here, and nothing was done. After true the caller may stand on another thread.
bool stand_back();

}  // namespace weir::path
