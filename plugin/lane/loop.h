// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// What ends the innermost loop around an instruction. A place that only moves in constant steps (a counter, an iterator of an array)
// and is compared makes its end known to each thread that runs it; what else does is found out as it goes: the result of a call, what
// stands in memory that others see.
enum class LoopEnd {
  no_loop,
  by_count,  // one of its ends at least; or more code than is read
  by_what_it_finds,
};
LoopEnd end_of_loop_around(Function function, std::uintptr_t at);

// An instruction that takes a number for one thread alone: it adds to memory and has what was there before.
bool takes_number(const std::uint8_t* at, const std::uint8_t* end);

}  // namespace weir::lane
