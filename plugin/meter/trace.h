// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"

namespace weir::meter {

// What a trace shows. Those up to core_wait begin and end on one thread, the last begun first; the others may end on
// another thread than they began on.
enum class Track : std::uint8_t { region, piece, parked, plain, core_wait, task, suspended, ring, core, count };
constexpr bool stays_on_thread(Track track) { return track <= Track::core_wait; }

// One thing that began and will end; 0: it is not traced.
using Traced = std::uint64_t;

struct TraceEvent {
  std::int64_t time_ns;
  Traced id;
  const char* name;        // a literal
  std::int64_t argument;   // begin: the descriptor or processor, < 0: none; end: the result
  std::int32_t thread;
  Track track;
  bool begins;
};

// The events of one thread, until somebody takes them. One thread writes, one at a time reads.
//
//   free --a thread's first event--> owned --the thread ends--> free, with what nobody took yet
struct Trail {
  static constexpr std::uint32_t size = 1024;
  TraceEvent events[size];
  std::atomic<std::uint32_t> head{0};    // written by the owner; release, so its event is seen
  std::atomic<std::uint32_t> tail{0};    // written by who reads; release, so the owner may write there again
  std::atomic<bool> in_use{false};
  std::atomic<std::uint32_t> place{0};   // of the owner, at its first event
  std::uint64_t begun[static_cast<int>(Track::count)] = {};
  std::uint64_t number = 0;
  bool busy = false;                     // a signal handler of this thread must not come between
  std::int32_t named = 0;                // the thread whose name was written; the reader's
  Trail* next = nullptr;
};

// Set by whoever reads trails; until then, and after, nothing is recorded.
extern std::atomic<bool> tracing;
extern std::atomic<void (*)(Trail&)> on_full_trail;   // takes what is in it; on the owner's thread
extern std::atomic<void (*)()> on_first_event;        // of a thread; not in signal handlers
// Of what may be traced, one in (mask + 1) is: a power of two less one. What began before it grew still ends.
extern std::atomic<std::uint64_t> trace_mask;

Traced trace_begin(Track track, const char* name, std::int64_t argument);
void trace_end(Traced traced, Track track, const char* name, std::int64_t result);

// What callers use: with no trace wanted, one branch. `name` is a literal, the same for both.
inline Traced begins(Track track, const char* name, std::int64_t argument = -1) {
  return tracing.load(std::memory_order_relaxed) ? trace_begin(track, name, argument) : 0;
}
inline void ends(Traced traced, Track track, const char* name, std::int64_t result = 0) {
  if (traced) [[unlikely]] trace_end(traced, track, name, result);
}

// The calling thread has a core slot from now on, or no more.
inline void core_taken() {
  if (tracing.load(std::memory_order_relaxed)) [[unlikely]] base::self().traced_core = trace_begin(Track::core, "core", -1);
}
inline void core_given() {
  base::Thread& thread = base::self_unsuspended();
  if (!thread.traced_core) [[likely]] return;
  trace_end(thread.traced_core, Track::core, "core", 0);
  thread.traced_core = 0;
}

// From the newest to the oldest; there are only ever more.
Trail* trails();

void leave_trail();         // the calling thread ends
void forget_trails();       // in a forked child: what they hold is the parent's to tell

}  // namespace weir::meter
