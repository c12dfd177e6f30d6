// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"

namespace weir::lane {

// Does the function wait for others by looking at memory again and again: in a loop of a few blocks that changes nothing, calls nothing but
// what makes way for others, and is left by what it finds there? No allocation.
bool spins(const Object& object, Function function);

}  // namespace weir::lane
