// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// How many processors libtbb is told there are: in the park lane, as many as there may be threads, stand-ins included;
// else the truth. Decided when libtbb first asks, and the same from then on.
std::int64_t processors();

// Was libtbb told more than there are? Then its threads go by the gate.
bool told_more();

}  // namespace weir::tbb
