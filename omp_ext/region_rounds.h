// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Of a region that shares a loop out by the number of its threads; where they take the pieces as they come, sums are rounded otherwise
// each time in any case.
struct Rounding {
  bool of_sum = false;    // what each thread has of floating-point numbers becomes one: their number decides how it is rounded
  bool computes = false;  // with such numbers: it may make a sum by thread, in a table of the program's
};
Rounding rounding_of(std::uintptr_t code);

}  // namespace weir::team
