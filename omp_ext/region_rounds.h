// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Does the region at `code` share a loop out by the number of its threads, and make one sum of the floating-point numbers that each has?
// Then that number decides how the sum is rounded. (Where threads take the pieces as they come, it is another each time in any case.)
bool rounds_by_threads(std::uintptr_t code);

// Shared out like that, does it compute with such numbers at all? It may make a sum by thread then, in a table of the program's.
bool computes_by_threads(std::uintptr_t code);

}  // namespace weir::team
