// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "omp_ext/crew.h"
#include "omp_ext/region_memory.h"

namespace weir::team {

// How one execution of a region went.
struct Run {
  bool wide = false;               // with stand-ins
  std::int64_t team = 0;           // threads it was given
  std::int64_t cores = 0;          // threads it would have had without weir
  std::int64_t wall_ns = 0;        // 0: not timed
  std::int64_t parked = 0;         // calls that blocked
  std::int64_t blocked_ns = 0;     // for how long, all threads together
  std::int64_t gate_timeouts = 0;  // a thread waited for a core as long as the gate lets it
  std::int64_t stored = 0;         // of the calls that blocked, those on files
  std::int64_t at_once = 0;        // threads that blocked at a time, at the most; 0: not known
  bool sets_aside = false;         // its tasks need no threads to wait in
  bool tasks_block = false;        // it makes tasks, which do
};

// Who looks for a task in libomp looks at the queues of others one by one, and wakes those that sleep: with hundreds of threads that takes
// longer than short waits do.
constexpr std::int64_t most_for_tasks_a_core = 4;

// What is known of a region: pure, and stepped by learn().
//
//            blocked calls took >= 5 % of its threads' time, or a millisecond of a run that was not timed
//   narrow ------------------------------------------------> wide
//     ^------------ they took less, or there were none twice --'|
//     ^------------ each blocked alone, though it would have met another four times by chance
//   barred <---- twice, its threads waited for one another -----'  outside of our sight
//
// A run is timed unless the region is narrow and the last one had no call that blocked: one that only computes pays nothing.
struct Knowledge {
  bool wide = false;
  bool timed = true;               // worth two looks at the clock
  bool barred = false;             // never wide again
  bool apart_from_files = false;   // most of what blocked were no calls on files: permits don't bound them
  std::uint8_t strikes = 0;
  std::uint8_t quiet = 0;          // wide runs in a row that had no call that blocked
  std::uint8_t alone = 0;          // calls that would have met another by chance, in runs in which none did; in sixteenths
  std::int64_t calls = -1;         // calls that blocked in its last run, or so many at a time: no more stand-ins than that; -1: not known
};

Knowledge learn(Knowledge before, const Run& run);

// Threads for its next run: `cores`, or more, at most `widest`.
std::int64_t team_size(const Knowledge& known, std::int64_t cores, std::int64_t widest);

// One parallel region of the program, told by the address of its outlined function.
struct alignas(64) Region {
  std::atomic<bool> read{false};   // has its code been looked at?

  // May explicit tasks of it be set aside? Read from its code when first asked: see sets_nothing_aside().
  enum Aside : std::uint8_t { not_read, never, maybe };
  std::atomic<Aside> aside{not_read};
  std::atomic<bool> makes_tasks{false};

  // Written when its code is looked at, before it may have stand-ins.
  MemoryCalls memory{};
  std::atomic<bool> takes_memory{false};  // by one of these

  // Added to by the team's threads when one of their calls has blocked, taken by the forking thread.
  std::atomic<std::int64_t> parked{0}, stored{0}, blocked_ns{0}, gate_timeouts{0}, at_once{0};

  // Two threads that run the same region at once may lose a lesson of each other; no more than that.
  std::atomic<bool> wide{false}, timed{true}, barred{false}, apart_from_files{false};
  std::atomic<std::uint8_t> strikes{0}, quiet{0}, alone{0};
  std::atomic<std::int64_t> calls{-1};

  // How many of its threads take the pieces of a dynamic loop: decided by who looks at a window (loop_piece), read by all.
  Crew crew{};
  std::atomic<std::int64_t> crew_most{Crew::all};
  std::atomic<bool> in_order{false};   // pieces wait for each other: all take them
  std::atomic<bool> begins{true};      // not known yet: a few take the first pieces
  std::atomic<std::int64_t> without_us{0};  // threads that it would have had when it last had more
  std::atomic<std::int64_t> began{0};  // so many, when it was last looked at

  Knowledge known() const;
  void set(const Knowledge& knowledge);
};

// The region of this code; the same object for ever (two threads that ask first, at once, may get two). Past the 4000th it is
// `no_region`, and nothing is learned.
Region& region_of(const void* code);
extern Region no_region;

}  // namespace weir::team
