// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/size.h"

#include <oneapi/tbb/task_arena.h>

#include "tbb_ext/adapter/runtime.h"

namespace weir::tbb {
namespace {

// A task_arena that refers to the arena where the calling thread is: libtbb fills in what that was made with.
struct Here : ::tbb::task_arena {
  Here() : task_arena(attach{}) {}
  ArenaSize size() const { return {my_max_concurrency, static_cast<int>(my_num_reserved_slots)}; }
};

}  // namespace

// While tasks are enqueued into an arena of one, libtbb says that it has two: a worker comes for them.
ArenaSize size_here() {
  int said = max_concurrency(nullptr);
  return said > 2 ? ArenaSize{said, 0} : Here().size();
}

}  // namespace weir::tbb
