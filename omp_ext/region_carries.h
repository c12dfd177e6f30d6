// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Does a thread of the region at `code` take something of its own from pass to pass of a loop that is shared out by number: the seed of
// a generator, what stands before the loop and is handed to a function in it? How far that has come by a pass, the number of threads
// decides. As far as the function's own frame tells, and what calls before the loop gave back; what libc's functions are given, but for a
// few, they only fill or read.
bool carries_state(std::uintptr_t code);

// Has it a loop, and follows from how many threads there are which of them has which part of it?
bool shares_loop_by_number(std::uintptr_t code);

}  // namespace weir::team
