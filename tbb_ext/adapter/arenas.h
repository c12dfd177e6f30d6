// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "tbb_ext/adapter/turns.h"

namespace weir::tbb {

struct Door;

// How many tasks are set aside in each arena, against what an arena bears: as many as libtbb can count, and more while
// a thread of ours attends to it.
struct Arena {
  enum class Help : std::int32_t { none, coming, present, going };

  std::atomic<void*> key{nullptr};       // nullptr: free
  std::atomic<std::int32_t> suspended{0};
  std::atomic<Help> help{Help::none};    // of the attendant
  std::atomic<std::int64_t> called_at_ns{0};
  void* attendant = nullptr;             // while it is present: where it waits to be sent off
  enum class Wants : std::int32_t { nothing, one_later, one_now };
  std::atomic<Wants> worker{Wants::nothing};
  Turns turns;
  std::atomic<void*> door_to{nullptr};   // the arena that `door` is open to
  Door* door = nullptr;
  std::atomic<bool> helper_comes{false};
};

// Set once, before any task is set aside.
void set_caps(bool guards_are_free, std::int64_t wanted);

// The arena in which the calling thread is; libtbb gives it one if it has none. By a name that is good for comparing.
void* name_of_arena_here();
Arena& arena_here();

// All there are, in no order; those that are free too.
std::span<Arena> all_arenas();

// Does this row stand for several arenas? There were more than the table holds.
bool is_shared(const Arena& arena);

// Tasks of other arenas have no turns in this one's: those may have threads where these have none.
bool keeps_turns(const Arena& arena, void* name);
// The lock may have been another thread's, and the tasks that could go on were.
void turns_after_fork();

bool is_full(const Arena& arena);
// How many there are in it then.
std::int32_t count_suspended(Arena& arena, int by);

}  // namespace weir::tbb
