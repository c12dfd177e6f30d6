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

// What a called name means to that.
enum class Part : std::uint8_t {
  none,
  shows,
  asks_number,
  never_returns,
  one_enters,       // of the threads: who is told something else than 0
  first_enters,     // who is told 0
  share_begins,     // to where it ends, a thread does its share
  share_ends,
  alone_begins,     // to where it ends, it does what no other does meanwhile
  alone_ends,
};
Part part_of_name(const char* name);

}  // namespace weir::team
