// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"

namespace weir::path {

// How a runtime's thread waits, at a barrier or for a lock: it yields until it is its turn. Where other programs compute on
// its core each yield lasts for a slice of theirs, some milliseconds; who sleeps for a moment has the core again when it
// wakes. (To a thread of its own program it had better yield: that one may do what is waited for.)

// Were there others, of late? Then a runtime is to have a nap instead of its next yield.
inline bool nap_is_due() { return base::self_unsuspended().naps_ns > 0; }
void nap();

// How long one is where so many threads nap at a time: each wake takes a few microseconds of a core, and a hundred threads
// that wake every 50 us take two cores and do nothing with them.
std::int64_t nap_among_ns(std::int64_t threads, std::int64_t cores);

// One at a barrier, where it has lasted for so long and will for as long again, as likely as not: who wakes every 50 us for 200 ms takes
// the core from those others all the same. So it is late by a sixteenth at most.
std::int64_t nap_at_barrier_ns(std::int64_t waited_ns, std::int64_t threads, std::int64_t cores);

// A runtime that is to wait asleep (gate/others.h) yields once or twice before it does, and again and again for a lock: that is a wait like others.
inline bool waits_long_awake() { return (++base::self_unsuspended().yields_awake & 7) == 0; }

void naps_after_fork();

// What all threads of the program had computed, a moment before now; -1: another thread asks just now. To ask the kernel takes
// the longer the more threads there are, so what it said last is good for a while.
std::int64_t own_cpu_lately(std::int64_t now_ns);

// The same by now, had they computed on every core since the kernel was asked.
std::int64_t own_cpu_at_most(std::int64_t now_ns);

// `own_cpu_ns`: what all threads of the program computed meanwhile, or a little more; -1: nobody watched.
void after_long_yield(std::int64_t took_ns, std::int64_t own_cpu_ns);
bool others_had_a_core(std::int64_t took_ns, std::int64_t own_cpu_ns, std::int64_t cores);

// Makes a yield, and has an eye on how long it takes: returns that. Only after one that was long they are watched more closely.
template <typename Yield>
std::int64_t watched_yield(Yield yield) {
  base::Thread& thread = base::self_unsuspended();
  bool watched = thread.watched_yields > 0;
  if (watched) --thread.watched_yields;
  std::int64_t began_ns = base::now_ns();
  std::int64_t cpu_ns = watched ? own_cpu_lately(began_ns) : -1;
  yield();
  std::int64_t ended_ns = base::now_ns(), took_ns = ended_ns - began_ns;
  if (took_ns >= base::ns_per_ms) {
    std::int64_t by_now_ns = cpu_ns >= 0 ? own_cpu_at_most(ended_ns) : -1;
    after_long_yield(took_ns, by_now_ns >= 0 ? by_now_ns - cpu_ns : -1);
  }
  return took_ns;
}

}  // namespace weir::path
