// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"
#include "meter/counters.h"
#include "wait/look_order.h"

namespace weir::path {

// A task that yields again and again spins: for a lock, or a flag. What it spins for may be a task's that was set aside,
// which a thread has to come free for. So now and then the one that yields is set aside itself, for a moment.

inline bool others_are_aside() { return meter::gauges.aside.load(std::memory_order_relaxed) > 0; }

// Where oneTBB's tasks are set aside, libtbb may have set aside others itself: a task that waits for its children, with one on top
// of it that went on. It is not among ours, and goes on when they are through: if there is a thread for it.
bool libtbb_may_hold_one(const base::Thread& thread);

// So many short yields, of about a microsecond each, are made in vain before one stands back.
constexpr std::int32_t yields_in_patience = 32;
constexpr std::int32_t yields_in_much_patience = 1024;

enum class Spins { not_long, in_vain, for_others };  // the last: those that are aside could go on in its place

// Counts a yield of what runs here. Never for others outside all places; but in a team also what is no task that could be set aside.
inline Spins counted_yield() {
  base::Thread& thread = base::self_unsuspended();
  if (!thread.place && !thread.omp) return Spins::not_long;
  if (thread.looks_from && others_are_aside()) return Spins::for_others;  // it stood back already, and looked in vain
  if (++thread.yields < yields_in_patience) return Spins::not_long;
  bool aside = others_are_aside(), libtbb = libtbb_may_hold_one(thread);
  if (!aside && !libtbb) thread.yields = 0;
  std::int32_t patience = !aside || wait::nobody_holds_aside() ? yields_in_much_patience : yields_in_patience;
  if (thread.yields < patience) return !aside && thread.yields % yields_in_patience == 0 ? Spins::in_vain : Spins::not_long;
  thread.yields -= patience;
  return Spins::for_others;
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

// Each lock that is held here is one that another task on this thread would wait for, and that another thread may give back as well
// (OpenMP's tasks are here when they do).
inline bool may_make_way_with_locks(const base::Thread& thread) {
  const bool is_here = thread.omp || (thread.place & base::in_tbb_arena);
  return thread.lock_depth <= thread.plain_locks && is_here && !(thread.place & (base::in_own_worker | base::in_io_arena));
}

// Tasks of oneTBB's that did: who wants a lock may want one of theirs.
inline constinit std::atomic<std::int32_t> aside_with_locks{0};

// stand_back() for who waits, in vain, since then. With such locks held it is a last resort: in OpenMP after a while; in oneTBB, whose
// tasks any thread may go on with, when the watchdog found that no thread does.
bool stand_back_in_wait(std::int64_t since_ns);
constexpr std::int64_t patience_with_locks_ns = 100 * base::ns_per_ms;

// The same for who waits for a moment only, again and again: as one that has waited since the first time. `began_ns`: of the last.
bool stand_back_in_row(std::int64_t began_ns);

// For who did so, and looks for what it waits for by itself: now and then it stands back.
void waited_in_row(std::int64_t began_ns);

// Since when what waits here from now on has done so again and again.
std::int64_t waits_in_row_since(std::int64_t began_ns);
void waited_in_row_until(std::int64_t since_ns, std::int64_t ended_ns);

}  // namespace weir::path
