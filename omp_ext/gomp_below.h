// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::omp {

// Is it LLVM's run-time that serves gcc's names behind ours? False: gcc's own does, and is right.
bool is_over_libomp();

}  // namespace weir::omp
