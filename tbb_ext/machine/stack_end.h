// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// The calling thread is about to run tasks on its own stack, which may be left there for other threads to go on with. `frame`: where it came
// into libtbb.
void note_own_stack(const void* frame);

// Likewise of one that is no thread's own.
void note_stack(const void* low, const void* end);

// Where the stack that `address` lies on ends, or what of it tasks have; null: not known. (Of a coroutine whose stack is ours `stacks` knows.)
const void* end_of_stack(const void* address);

}  // namespace weir::tbb
