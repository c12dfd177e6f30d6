// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/task_region.h"

namespace weir::omp {

// The current task goes on when these dependences, in gcc's form, are met. `member`: nullptr where tasks are none of our business. False: it is
// for the run-time below to do.
bool waits_for_depends(Member* member, void** depend);

}  // namespace weir::omp
