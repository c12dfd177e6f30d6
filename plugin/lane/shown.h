// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// Is what a call gave back, which returns to `after` in the function, handed to a function that writes it as text, further down in the same
// function, or stored where others may find it for that? As far as it can be followed through registers and the function's frame, in the
// order of addresses. No allocation.
bool is_shown(const Object& object, Function function, std::uintptr_t after);

}  // namespace weir::lane
