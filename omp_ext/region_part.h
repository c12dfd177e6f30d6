// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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
  takes_piece,      // of a loop whose pieces go to who comes
  reduces,          // what each thread has is made one
  share_begins,     // to where it ends, a thread does its share
  share_ends,
  alone_begins,     // to where it ends, it does what no other does meanwhile
  alone_ends,
};
Part part_of_name(const char* name);

}  // namespace weir::team
