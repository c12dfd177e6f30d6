// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// What an object's code does with the numbers it asks OpenMP for. (gcc's static loops ask for both themselves, in each thread, and
// share out the iterations with them at once: that says nothing about the program.)
struct Asks {
  bool keeps_num_threads = false;  // the number of a team's threads outlives the function that asked
  bool hands_it_on = false;        // and was seen to be stored, or handed on: not only lost sight of
  bool by_hand = false;            // some call for it is the program's own
  bool uses_thread_num = false;    // a thread's number is more than that of its share
  bool shows_max_threads = false;  // writes omp_get_max_threads() as text
};

// All of it where the object can't be read.
Asks asks_of(const Object& object);

// A thread's number is no more than that of its share, wherever the object asks for it. False too where there is so much code
// that it would take long to tell.
bool only_shares(const Object& object);

}  // namespace weir::lane
