// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// How many of `wanted` threads with stacks of so many bytes (0: libc's usual size) this process could have at once now:
// they are started, and end before this returns. They are the kernel's threads alone, without libc's record and without a
// stack of their own, so that this costs a third of what libc's threads would.
std::int64_t threads_to_be_had(std::int64_t wanted, std::int64_t stack_bytes);

// For how many of them there is room in the address space.
std::int64_t stacks_to_be_had(std::int64_t wanted, std::int64_t stack_bytes);

}  // namespace weir::sys
