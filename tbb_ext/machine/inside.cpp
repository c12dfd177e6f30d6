// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/inside.h"

#include <atomic>

#include "base/thread.h"
#include "sys/process.h"
#include "wait/lane.h"

namespace weir::tbb {
namespace {

// By id, each as near behind the place of its own as there was one free; 0: free. Relaxed: who looks takes one that comes or goes just
// then for either.
constexpr unsigned places = 1024;
constinit std::atomic<std::int32_t> inside[places] = {};
constinit std::atomic<int> without_place{0};

std::atomic<std::int32_t>& place(std::int32_t tid, unsigned behind) { return inside[(static_cast<unsigned>(tid) + behind) % places]; }

// Some places behind its own at most.
constexpr unsigned farthest = 16;

std::int32_t tid_here() {
  base::Thread& thread = base::self();
  if (!thread.tid) thread.tid = sys::thread_id();
  return thread.tid;
}

}  // namespace

void comes_inside() {
  const std::int32_t tid = tid_here();
  base::Thread& thread = base::self();
  thread.omp_regions_below_tbb = thread.omp_regions;
  if (thread.place & base::in_omp_task) wait::keep_tasks_on_threads();
  for (unsigned behind = 0; behind < farthest; ++behind) {
    std::int32_t nobody = 0;
    if (place(tid, behind).compare_exchange_strong(nobody, tid, std::memory_order_relaxed)) return;
  }
  without_place.fetch_add(1, std::memory_order_relaxed);
}

void goes_outside() {
  const std::int32_t tid = tid_here();
  for (unsigned behind = 0; behind < farthest; ++behind) {
    if (place(tid, behind).load(std::memory_order_relaxed) != tid) continue;
    return place(tid, behind).store(0, std::memory_order_relaxed);
  }
  without_place.fetch_sub(1, std::memory_order_relaxed);
}

bool is_in_openmp_too() {
  const base::Thread& thread = base::self();
  return (thread.place & base::in_omp_task) || thread.omp_regions != thread.omp_regions_below_tbb;
}

bool is_inside(std::int32_t tid) {
  if (without_place.load(std::memory_order_relaxed) > 0) return true;
  for (unsigned behind = 0; behind < farthest; ++behind)
    if (place(tid, behind).load(std::memory_order_relaxed) == tid) return true;
  return false;
}

}  // namespace weir::tbb
