// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Where a program asks for a number of threads and only writes it: there it is told the one without weir.
bool note_written(std::uintptr_t returns_to);  // false: there are too many
bool any_written();
bool is_written(std::uintptr_t returns_to);

}  // namespace weir::team
