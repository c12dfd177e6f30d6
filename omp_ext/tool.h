// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::team {

// Has libomp taken us as its tool? Only then are threads' places known, and only then are teams widened.
bool tool_active();

// Does the calling thread stand in an explicit task, be it one of libomp's alone? False where that can't be asked.
bool in_explicit_task();

// What stands for the task that the calling thread runs; nullptr where that can't be asked.
const void* current_task();

// Has the program or its user a tool? It would be told of tasks that are ours alone, and of others as begun more than once.
bool tool_of_others();

// Which tool we stepped aside for; nullptr: none.
const char* stepped_aside_for();
// Or because no region of the program reaches a call that may wait?
bool stepped_aside_for_computing();

}  // namespace weir::team
