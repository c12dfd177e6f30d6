// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// What omp_get_num_threads() and omp_get_thread_num() give.
enum class Number { of_threads, of_this_thread };

// What becomes of such a number in the function that asked for it, the worst of it.
enum class Use {
  shares,     // it divides, and what is left over is shared out, too; or it is multiplied with a share, and compared: so loops are shared out
  steps,      // it is added too: to count in steps of it
  elsewhere,  // it is stored, handed on, returned, an index; of all threads, compared; or lost sight of
};

// From the machine code behind the call, which returns to `after`. `returns`: the function may give something back, which a
// region does not. No allocation.
Use use_of_number(const Object& object, Function function, std::uintptr_t after, Number number, bool returns);

// Is a thread picked by its number: is that compared with a constant? In a loop, or before, where compilers made of one test two loops?
enum class Picked { never, beside_loops, in_loop };
Picked picked_by_number(const Object& object, Function function, std::uintptr_t after);

}  // namespace weir::lane
