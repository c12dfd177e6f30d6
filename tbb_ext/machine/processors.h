// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// How many processors libtbb is told there are. In the park lane as many as there may be threads, stand-ins included.
// In the suspend lane a moderate number: a loop's partitioner makes a few chunks a processor, and only one leaf of a
// chunk can be under way. Else the truth. Decided when libtbb first asks, and the same from then on.
std::int64_t processors();

// Was libtbb told more than there are? Then its threads go by the gate.
bool told_more();

// What the program is to take an arena's concurrency for, when libtbb says `said`: always the truth.
int concurrency(int said);

// What a loop's partitioner is. The truth until a call has waited, so that a program without I/O cuts its loops as it would
// without us: but for the first few loops, which could not be cut any more when the first of their calls waits.
int concurrency_of_loop(int said);

// The program numbers things by its slots, or sees each thread that comes: from here on there will be no stand-ins, whose
// slots lie beyond the concurrency it was told. True: this is news, and there may be some by now.
bool hold_to_the_truth();
bool held_to_the_truth();

// A call blocks: may stand-ins come for it? Not before each thread can have gone on from a wait to the next, so that a
// program which asks for its slot's number after a call has done so.
bool may_have_stand_ins();

}  // namespace weir::tbb
