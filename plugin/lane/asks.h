// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// What an object's code does with the numbers it asks OpenMP for. (gcc's static loops ask for both themselves, in each thread, and
// share out the iterations with them at once: that says nothing about the program.)
struct Asks {
  bool keeps_num_threads = false;  // the number of a team's threads is more than what a loop is shared out by
  bool uses_thread_num = false;    // a thread's number is more than that of its share
  bool picks_thread = false;       // and one is picked by it, for what it does in a loop
  bool asks_max_threads = false;   // omp_get_max_threads()
  // Not meant by these are calls whose number of threads is only written. Where they return to:
  static constexpr int most_written = 32;
  std::uintptr_t written[most_written] = {};
  int written_count = 0;
};

// All of it where the object can't be read. Of an object that asks for the most threads there may be, which alone leaves a
// program's teams as they are, no more is looked for.
Asks asks_of(const Object& object);

// A thread's number is no more than that of its share, wherever the object asks for it. False too where there is so much code
// that it would take long to tell.
bool only_shares(const Object& object);

}  // namespace weir::lane
