// SPDX-License-Identifier: Apache-2.0
#include "path/yielding.h"

#include "path/waiting.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/runtimes.h"
#include "wait/unseen_locks.h"

namespace weir::path {
namespace {

using wait::standing_back;

// For so long one stands back, times the number of those that do: one of them looks every so often, however many
// there are.
constexpr std::int64_t between_looks_ns = 20'000;
// That many may be set aside beyond a runtime's cap: with threads that only spin, no task would ever leave.
constexpr std::int64_t beyond_the_cap = 4'000;

// What goes on does so on top of this task.
bool serve(const weir_runtime& runtime) {
  wait::KeptErrno kept;
  return runtime.serve && runtime.serve();
}

// A thread that ever was in a team may be in one now: there not everything stands in a place.
const weir_runtime* runtime_here(const base::Thread& thread) {
  const weir_runtime* runtime = wait::runtime_of(thread.place);
  return runtime || !thread.omp ? runtime : wait::runtime_of(base::in_omp_task);
}

bool may_be_set_aside(const weir_runtime& runtime) {
  int refusal = runtime.refuses();
  return !refusal || (refusal == WEIR_REFUSED_CAP && standing_back.load(std::memory_order_relaxed) < beyond_the_cap);
}

}  // namespace

bool libtbb_may_hold_one(const base::Thread& thread) {
  return (thread.place & base::in_tbb_arena) && meter::gauges.resumed.load(std::memory_order_relaxed) > 0;
}

// As wait::choose, but for the watchdog: that ready tasks do not go on is no reason against making way for them.
bool stand_back() {
  base::Thread& thread = base::self();
  if (thread.engine_depth || thread.lock_depth > 0 || base::in_signal_handler()) return false;
  if (wait::policy.best.load(std::memory_order_relaxed) != wait::Lane::suspend) return false;
  const weir_runtime* runtime = runtime_here(thread);
  if (!runtime) return false;
  if (!may_be_set_aside(*runtime)) return serve(*runtime);
  std::int64_t company = standing_back.fetch_add(1, std::memory_order_relaxed) + 1;
  Result ignored;
  int refusal;
  bool done = perform(op::timeout(company * between_looks_ns), false, *runtime, &ignored, &refusal);
  standing_back.fetch_sub(1, std::memory_order_relaxed);
  return done || serve(*runtime);
}

}  // namespace weir::path
