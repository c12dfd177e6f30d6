// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "omp_ext/region_memory.h"

namespace weir::team {

// What each thread of the region at `code` does once, whatever is shared out beside it. With stand-ins it would be done more often.
struct EachThread {
  bool shows = false;         // others see it: a line, what is sent, a count of the threads
  bool counts = false;        // adds to something that others see, and no loop does likewise;
  bool brings = false;        // it takes what others would have had: bytes, numbers by chance;
  bool opens = false;         // or opens something of its own
  bool takes_memory = false;  // much of its own, or nobody knows how much;
  MemoryCalls memory;         // or what these take, which tells when it begins
};

// In the region's own code, where it can be read, what is written on some ways only is seen too, in functions that it calls what is written on all of them:
// the rest tells of errors. What a loop does is taken to be shared out, or this is not asked (region_code.h); but not where OpenMP shares out
// another one and it waits.
EachThread each_thread(std::uintptr_t code);

}  // namespace weir::team
