// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// The calling thread is about to run tasks on its own stack, which may be left there for other threads to go on with. `frame`: where it came
// into libtbb.
void note_own_stack(const void* frame);

// Where the thread's own stack that `address` lies on ends, or what of it tasks have; null: not known.
const void* end_of_own_stack(const void* address);

}  // namespace weir::tbb
