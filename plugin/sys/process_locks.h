// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::sys {

// Has this process locks of files that are a process's (fcntl's, lockf's)? Who waits for one then may be one of several that wait for each
// other, which the kernel tells only who waits in it. Where it doesn't say: yes.
bool has_process_locks();

}  // namespace weir::sys
