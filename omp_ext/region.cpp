// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region.h"

#include <algorithm>
#include <new>

#include "gate/waits.h"

namespace weir::team {

constinit Region no_region{.read = true};

namespace {

constexpr std::uint64_t slots = 4096;
// Whose code each is. A region is made when its slot is taken: with what it begins with written down for all of them, a library
// that is read from a disk before each program would be twice as long.
constinit std::atomic<const void*> owners[slots];
alignas(Region) constinit unsigned char regions[slots][sizeof(Region)];
const void* const being_made = &owners;

constexpr std::int64_t worth_percent = 5;  // of thread time that must be blocked for stand-ins to pay
constexpr std::int64_t worth_a_try_ns = 1'000'000;  // blocked so long, in a run of unknown length
constexpr int strikes_to_bar = 2;
constexpr int quiet_to_narrow = 2;  // a program may run it with data and without, in turn
constexpr std::int64_t one_meeting = 16, meetings_to_narrow = 4 * one_meeting;

// Threads that waited at a time, on the mean.
std::int64_t waited_at_once(const Run& run) { return run.wall_ns ? (run.blocked_ns + run.wall_ns - 1) / run.wall_ns : 1; }

bool waits_are_short(const Run& run) { return run.blocked_ns < run.parked * gate::Waits::long_ns; }

// As many stand-ins as calls, or as threads that blocked at a time, where that were not all there were.
std::int64_t wanted(const Run& run) {
  if (run.sets_aside) return waited_at_once(run);
  std::int64_t threads = run.at_once > 0 && run.at_once < run.team ? std::min(run.parked, run.at_once) : run.parked;
  return run.tasks_block && waits_are_short(run) ? std::min(threads, most_for_tasks_a_core * run.cores) : threads;
}

// Calls that block while one part or other of the time another does meet it by chance, unless something makes them take turns: one thread
// reads, or whoever has a lock.
std::int64_t meetings_missed(const Run& run) {
  return run.parked * std::min(run.blocked_ns * one_meeting / run.wall_ns, one_meeting);
}

// And waits too short to be worth a stand-in each.
bool take_turns_to_block(Knowledge& known, const Run& run) {
  if (run.cores < 2 || run.sets_aside || run.at_once != 1 || !waits_are_short(run)) {
    known.alone = 0;
    return false;
  }
  known.alone = static_cast<std::uint8_t>(std::min(known.alone + meetings_missed(run), meetings_to_narrow));
  return known.alone == meetings_to_narrow;
}

}  // namespace

Knowledge learn(Knowledge known, const Run& run) {
  if (run.parked == 0) {
    if (!run.wide || ++known.quiet >= quiet_to_narrow) known.wide = known.timed = false;
    return known;
  }
  known.timed = true;
  known.quiet = 0;
  known.apart_from_files = run.stored * 2 < run.parked;
  // Decaying, since the next run may find less of its data cached.
  std::int64_t calls = wanted(run);
  known.calls = calls > known.calls / 2 ? calls : known.calls / 2;
  if (run.wall_ns == 0) {
    known.wide = !known.barred && run.blocked_ns >= worth_a_try_ns;
    return known;
  }
  if (run.wide && run.gate_timeouts > 2 * run.team && ++known.strikes >= strikes_to_bar) known.barred = true;
  // A wide team's calls wait for each other too: it is measured against the cores alone.
  std::int64_t threads = run.wide ? run.cores : run.team;
  known.wide = !known.barred && run.blocked_ns * 100 >= run.wall_ns * threads * worth_percent && !take_turns_to_block(known, run);
  return known;
}

std::int64_t team_size(const Knowledge& known, std::int64_t cores, std::int64_t widest) {
  if (!known.wide || known.barred || widest <= cores) return cores;
  if (known.calls >= 0 && known.calls < widest - cores) return cores + known.calls;
  return widest;
}

Knowledge Region::known() const {
  constexpr auto relaxed = std::memory_order_relaxed;
  return {wide.load(relaxed), timed.load(relaxed), barred.load(relaxed), apart_from_files.load(relaxed),
          strikes.load(relaxed), quiet.load(relaxed), alone.load(relaxed), calls.load(relaxed)};
}

void Region::set(const Knowledge& knowledge) {
  constexpr auto relaxed = std::memory_order_relaxed;
  wide.store(knowledge.wide, relaxed);
  timed.store(knowledge.timed, relaxed);
  barred.store(knowledge.barred, relaxed);
  apart_from_files.store(knowledge.apart_from_files, relaxed);
  strikes.store(knowledge.strikes, relaxed);
  quiet.store(knowledge.quiet, relaxed);
  alone.store(knowledge.alone, relaxed);
  calls.store(knowledge.calls, relaxed);
}

Region& region_of(const void* code) {
  std::uint64_t at = (reinterpret_cast<std::uint64_t>(code) >> 4) * 0x9e3779b97f4a7c15u >> 52;
  for (std::uint64_t i = 0; i < slots * 15 / 16; ++i) {
    std::atomic<const void*>& owner = owners[(at + i) % slots];
    unsigned char* memory = regions[(at + i) % slots];
    const void* there = owner.load(std::memory_order_acquire);
    if (there == code) return *std::launder(reinterpret_cast<Region*>(memory));
    // (One that is being made is passed by, were it this one: it may be made by a thread that a forked child has not.)
    if (there || !owner.compare_exchange_strong(there, being_made, std::memory_order_relaxed)) continue;
    auto* region = new (memory) Region;
    owner.store(code, std::memory_order_release);
    return *region;
  }
  return no_region;
}

}  // namespace weir::team
