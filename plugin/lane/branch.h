// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// Which way the conditional jump that ends `code` takes where what the call before `code` returned is 0 (else: where it is not):
// 0, on to what follows; 1, to its target; -1: it does not tell.
int way_if(bool zero, Function code);

}  // namespace weir::lane
