// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// Is what a call gave back, which returns to `after` in the function, handed at once to a function that writes it as text, and nothing else
// done with it? Then it may be another than who calculates with it is told. No allocation.
bool is_only_written(const Object& object, Function function, std::uintptr_t after);

}  // namespace weir::lane
