// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::tbb {

// How many processors libtbb is told there are. In the park lane as many as there may be threads, stand-ins included.
// In the suspend lane a moderate number: a loop's partitioner makes a few chunks a processor, and only one leaf of a
// chunk can be under way. Else the truth. Decided when libtbb first asks, and the same from then on: programs size tables
// by what libtbb says, and number their threads by it.
std::int64_t processors();

// Was libtbb told more than there are? Then its threads go by the gate.
bool told_more();

}  // namespace weir::tbb
