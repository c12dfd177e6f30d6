// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tbb_ext/machine/stacks.h"

namespace weir::tbb {

extern Stacks stacks;  // under all coroutines of this process

void find_next_memory();

}  // namespace weir::tbb
