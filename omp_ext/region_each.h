// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Does each thread of the region at `code` do something once that others see, whatever is shared out beside it: write a line, send,
// count the threads? With stand-ins it would be seen more often.
// In the region's own code what is written on some ways only is seen too, in functions that it calls what is written on all of them:
// the rest tells of errors. A count is one where the region does not ask how many threads there are. What a loop does is taken to be
// shared out, or this is not asked (region_code.h).
bool each_thread_shows(std::uintptr_t code);

}  // namespace weir::team
