// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Is the largest, or the like, of what each thread of a region has counted in its share of a loop looked for? Where shares go by the threads'
// numbers it depends on how many there are. Of whole numbers: compared with what all threads see, and then stored there. False where that
// can't be followed.
bool looks_for_largest_count(std::uintptr_t code);

}  // namespace weir::team
