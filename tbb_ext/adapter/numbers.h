// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// The number that a program is told for the slot in which the calling thread is, of an arena that has more slots than the
// program was told threads. libtbb's threads keep their slots' numbers from arena to arena: one that comes from a larger
// arena takes a slot beyond. Below `bound`, no other thread's in that arena, and the same until the thread leaves it.
//
//   free --asked for--> owned by a slot --its thread leaves, or has no task--> spared: still that slot's, if nobody else needs it
//
// WEIR_TBB_NO_NUMBER: none is free. Inside an arena only.
std::uint16_t number_of(std::uint16_t slot, int bound);

void program_makes_observer();

// Until a number may have become free; not for long.
void await_number();
// The calling thread begins to wait for tasks, and to run them, within the one that it runs, if any; and does so no more.
void begins_to_wait();
void has_waited();
// The calling thread found no task: its number may go to one that has, if none of its own that asked can be under way.
void spare_number();

}  // namespace weir::tbb
