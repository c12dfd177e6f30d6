// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// What the program is told for the calling thread's slot, in an arena of `slots`, which may be more than it knows of. While
// other threads have all the numbers it waits for one: without us its task would not have begun.
unsigned short told_for(unsigned short slot, int slots);

// Was one ever asked for where there are more slots than that?
bool numbers_are_told();

// The calling thread found no task, or is about to sleep for lack of one.
void finds_no_task();
void sleeps_without_task();

}  // namespace weir::tbb
