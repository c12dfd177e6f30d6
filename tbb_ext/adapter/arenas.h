// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::tbb {

// How many tasks are set aside in each arena, against what an arena bears.
//
// libtbb counts the stacks of an arena in 12 bits next to the number of its workers: with 4096 of them the arena seems to
// have one worker more than it has, and one fewer comes to it. With nobody but workers to resume them, tasks could then
// wait for ever; as long as a thread of the program waits in the arena, that thread resumes them.
struct Arena {
  std::atomic<void*> key{nullptr};       // nullptr: free
  std::atomic<std::int32_t> suspended{0};
  std::atomic<std::int32_t> holders{0};  // threads of the program that stay in it until its tasks are done
};

// Set once, before any task is set aside.
void set_caps(bool guards_are_free, std::int64_t wanted);

// The arena in which the calling thread is; libtbb gives it one if it has none. By a name that is good for comparing.
void* name_of_arena_here();
Arena& arena_here();

bool is_full(const Arena& arena);
void count_suspended(Arena& arena, int by);

}  // namespace weir::tbb
