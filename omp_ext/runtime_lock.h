// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::team {

// To be called once, with an address in libomp, before the other.
void find_runtime_locks(const void* in_runtime);

// Does the code at this address wait for one of libomp's own locks? They are handed on in the order of asking: one
// thread that sleeps when its turn comes holds up all behind it. False where libomp does not show its locks.
bool waits_for_runtime_lock(const void* address);

}  // namespace weir::team
