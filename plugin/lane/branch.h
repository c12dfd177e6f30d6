// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"
#include "lane/place.h"

namespace weir::lane {

// Which way the conditional jump that ends `code` takes where what the call before `code` returned is 0 (else: where it is not):
// 0, on to what follows; 1, to its target; -1: it does not tell.
int way_if(bool zero, Function code);

// And where a register, or a slot of the frame, is 0 that the instruction right before compares with it.
int way_if_zero(const Places& places, const Place& place, Function code);

}  // namespace weir::lane
