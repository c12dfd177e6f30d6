// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::lane {

// Does the code at this address belong to a runtime (marks.h)? Remembers its last answers; else it asks the loader, and
// waits for whoever loads an object at the moment.
bool is_runtime_code(const void* address);

// The same for the runtimes that run tasks.
bool is_tasking_code(const void* address);

}  // namespace weir::lane
