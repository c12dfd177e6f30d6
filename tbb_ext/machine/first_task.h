// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// What a task that is being made is the first of.
enum class Cut {
  no_loop,  // of none: a task group's, an arena's
  fixed,    // a loop whose pieces its results may depend on: static_partitioner's; or one that nothing is known of
  free,     // a loop whose pieces may be any: auto_partitioner's, affinity_partitioner's
};

// By the name of its type. Callable from within the task's constructor, when its base is there; anything else that lies
// there is told from a task, as long as it can be read.
Cut cut_of(const void* task);

}  // namespace weir::tbb
