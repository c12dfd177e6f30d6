// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/thread.h"

namespace weir::omp {

// A thread of libomp's keeps what it freed of another one's tasks, until it frees one of a third thread's: then it gives all of that
// back to whose it was. That one may have ended meanwhile, and its memory with it; libgomp keeps nothing of the kind. Only what is
// larger than this goes back at once.
constexpr std::size_t kept_task_bytes = 64 * 128;

// May the thread end before others of its team do, as one that the program made and that forks teams? Libomp's own end last.
inline bool may_end_before_its_team() { return base::self_unsuspended().omp_may_end; }

// So much is asked of libomp for what comes behind a task that the calling thread makes.
inline std::size_t task_memory(std::size_t bytes) {
  return bytes < kept_task_bytes && may_end_before_its_team() ? kept_task_bytes : bytes;
}

}  // namespace weir::omp
