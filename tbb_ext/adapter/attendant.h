// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tbb_ext/adapter/arenas.h"

namespace weir::tbb {

// libtbb counts an arena's stacks in 12 bits, and what is beyond them as workers: with 4096 tasks set aside the arena seems
// to have one worker more than it has, and one fewer comes to it. Where it may have but one, and the program's threads are
// elsewhere, nobody would resume those tasks. So a thread of ours takes that worker's place while there are so many.
//
//   none --attend()--> coming --in the arena--> present --few_are_left()--> going --> none
//
// attend: one more task was set aside in the arena where the calling thread is. Cheap while there are few.
void attend(Arena& arena, std::int32_t suspended);

// One fewer is. Any thread.
void one_came_back(Arena& arena, std::int32_t suspended);

// How an attendant is to present itself before it runs tasks, and take its leave; set once, before any task is set aside.
extern void (*on_attending)();
extern void (*on_leaving)();

}  // namespace weir::tbb
