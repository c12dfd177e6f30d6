// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::lane {

// Has this process gcc's OpenMP run-time, and not LLVM's in front of it? Then nobody tells when a thread is in a team.
bool has_only_libgomp();

}  // namespace weir::lane
