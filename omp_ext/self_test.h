// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::omp {

// Does the loaded libomp keep a task that was begun once more while it ran, run it again when asked, and end it after the
// right return? Tried with a task of ours on the calling thread; some microseconds.
bool suspension_works();

}  // namespace weir::omp
