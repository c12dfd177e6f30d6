// SPDX-License-Identifier: Apache-2.0
// The number of the calling thread, which the program asks for, or has from its entry.
//
// A program whose tasks may be set aside uses its threads' numbers for nothing but their shares of loops, as gcc's static loops do.
// Should a task ask for one all the same, it stays on that thread from then on, and runs with no other in between.
#include "omp_ext/thread_number.h"

#include "base/thread.h"
#include "omp_ext/next.h"
#include "omp_ext/task_region.h"
#include "wait/lane.h"

using namespace weir::omp;

namespace {

constinit Next<int()> real_thread_num("omp_get_thread_num");
constinit Next<int(void*)> next_global_thread_num("__kmpc_global_thread_num");
constinit Next<std::int32_t(Ident*, std::int32_t, std::int32_t)> next_cancel("__kmpc_cancel");
constinit Next<std::int32_t(Ident*, std::int32_t, std::int32_t)> next_cancellation_point("__kmpc_cancellationpoint");
constinit Next<void*(int, std::size_t, void*)> next_alloc("__kmpc_alloc");
constinit Next<void*(int, std::size_t, std::size_t, void*)> next_aligned_alloc("__kmpc_aligned_alloc");
constinit Next<void*(int, std::size_t, std::size_t, void*)> next_calloc("__kmpc_calloc");
constinit Next<void*(int, void*, std::size_t, void*, void*)> next_realloc("__kmpc_realloc");
constinit Next<void(int, void*, void*)> next_free("__kmpc_free");

void thread_matters() {
  const auto relaxed = std::memory_order_relaxed;
  // Who forces a lane says that it does not.
  if (!weir::wait::policy.automatic.load(relaxed) || weir::wait::policy.best.load(relaxed) != weir::wait::Lane::suspend) return;
  if (Member* member = member_here()) member->current->of_its_thread = true;
}

}  // namespace

void weir::omp::thread_matters_in_onetbb() {
  if (base::self_unsuspended().place & base::in_tbb_arena) wait::keep_tasks_on_threads();
}

// Clang's code asks at the entry of a function that has a construct in it, and hands the number over there.
WEIR_INTERPOSED int __kmpc_global_thread_num(void* place) {
  thread_matters_in_onetbb();
  return next_global_thread_num.get() ? next_global_thread_num(place) : 0;
}

// Without an OpenMP runtime (a library asks for these names weakly) there is one thread.
WEIR_INTERPOSED int omp_get_thread_num() {
  thread_matters();
  return real_thread_num.get() ? real_thread_num() : 0;
}
WEIR_INTERPOSED int omp_get_thread_num_() { return omp_get_thread_num(); }

// Clang's code for `allocate` and `depobj`. Each thread has a pool without a lock: that of another one is not to be touched.
WEIR_INTERPOSED void* __kmpc_alloc(int gtid, std::size_t bytes, void* allocator) {
  return next_alloc(gtid_here(gtid), bytes, allocator);
}
WEIR_INTERPOSED void* __kmpc_aligned_alloc(int gtid, std::size_t align, std::size_t bytes, void* allocator) {
  return next_aligned_alloc(gtid_here(gtid), align, bytes, allocator);
}
WEIR_INTERPOSED void* __kmpc_calloc(int gtid, std::size_t count, std::size_t bytes, void* allocator) {
  return next_calloc(gtid_here(gtid), count, bytes, allocator);
}
WEIR_INTERPOSED void* __kmpc_realloc(int gtid, void* memory, std::size_t bytes, void* allocator, void* freed_by) {
  return next_realloc(gtid_here(gtid), memory, bytes, allocator, freed_by);
}
WEIR_INTERPOSED void __kmpc_free(int gtid, void* memory, void* allocator) { next_free(gtid_here(gtid), memory, allocator); }

// libomp stops a program that names another thread here, cancelling or not.
WEIR_INTERPOSED std::int32_t __kmpc_cancel(Ident* place, std::int32_t gtid, std::int32_t what) {
  return next_cancel(place, gtid_here(gtid), what);
}
WEIR_INTERPOSED std::int32_t __kmpc_cancellationpoint(Ident* place, std::int32_t gtid, std::int32_t what) {
  return next_cancellation_point(place, gtid_here(gtid), what);
}
