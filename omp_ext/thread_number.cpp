// SPDX-License-Identifier: Apache-2.0
// A program whose tasks may be set aside uses its threads' numbers for nothing but their shares of loops, as gcc's static loops do.
// Should a task ask for one all the same, it stays on that thread from then on, and runs with no other in between.
#include "omp_ext/next.h"
#include "omp_ext/task_region.h"
#include "wait/lane.h"

using namespace weir::omp;

namespace {

constinit Next<int()> real_thread_num("omp_get_thread_num");

void thread_matters() {
  const auto relaxed = std::memory_order_relaxed;
  // Who forces a lane says that it does not.
  if (!weir::wait::policy.automatic.load(relaxed) || weir::wait::policy.best.load(relaxed) != weir::wait::Lane::suspend) return;
  if (Member* member = member_here()) member->current->of_its_thread = true;
}

}  // namespace

// Without an OpenMP runtime (a library asks for these names weakly) there is one thread.
WEIR_INTERPOSED int omp_get_thread_num() {
  thread_matters();
  return real_thread_num.get() ? real_thread_num() : 0;
}
WEIR_INTERPOSED int omp_get_thread_num_() { return omp_get_thread_num(); }
