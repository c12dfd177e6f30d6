// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// What omp_get_num_threads() and omp_get_thread_num() give.
enum class Number { of_threads, of_this_thread };

// What becomes of such a number in the function that asked for it, the worst of it.
enum class Use {
  shares,     // it divides, or is multiplied with a share, and compared: so loops are shared out
  steps,      // it is added too: to count in steps of it
  elsewhere,  // it is stored, handed on, returned, an index; or lost sight of
};

// From the machine code behind the call, which returns to `after`. `returns`: the function may give something back, which a
// region does not. No allocation.
Use use_of_number(const Object& object, Function function, std::uintptr_t after, Number number, bool returns);

// Is it seen to be stored where others see it, or handed on? (Not where it is lost sight of before, nor where it is returned.)
bool is_handed_on(const Object& object, Function function, std::uintptr_t after, Number number);

}  // namespace weir::lane
