// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"

namespace weir::team {

// What a called name means to who asks what each thread of a region does.
enum class Part : std::uint8_t {
  none,
  shows,
  brings,           // takes something that others would have had: the next bytes, a number by chance
  opens,            // something of its own to take it from
  asks_number,
  asks_who,         // which thread it is, by no number of OpenMP's
  never_returns,
  one_enters,       // of the threads: who is told something else than 0
  first_enters,     // who is told 0
  pieces_begin,     // of a loop, given out as an argument says,
  takes_piece,      // one to who comes,
  takes_own_piece,  // or each to the thread whose number says so
  reduces,          // what each thread has is made one
  share_begins,     // to where it ends, a thread does its share
  share_ends,
  alone_begins,     // to where it ends, it does what no other does meanwhile
  alone_ends,
};
Part part_of_name(const char* name);

// Are the pieces of a loop that such a call begins, at `at` in `code`, given out by the numbers of the threads? `code`: what is run before it
// without a jump.
bool gives_by_number(lane::Function code, std::uintptr_t at);

}  // namespace weir::team
