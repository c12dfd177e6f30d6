// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"

namespace weir::team {

// Does a call of `name` at `at` make, change or take away a file, a process or a connection, as others see? `code`: what is run before it
// without a jump. Of a file that is opened its arguments tell; where they can't be read, `in_doubt`.
bool makes_file(const char* name, lane::Function code, std::uintptr_t at, bool in_doubt);

}  // namespace weir::team
