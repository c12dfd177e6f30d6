// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::team {

// Does the region at `code` wait only while it holds a lock, as one in which each thread reads the next record in a critical section? Then
// one of its threads waits at a time. Asked of a region whose code could be followed; of the region's own code, and not what it calls,
// are the locks.
bool waits_only_with_lock(std::uintptr_t code);

}  // namespace weir::team
