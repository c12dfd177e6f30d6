// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/libomp.h"

#include <atomic>

#include "omp_ext/next.h"

namespace weir::omp {
namespace {

template <typename F>
bool find(F& function, const char* name) {
  function = reinterpret_cast<F>(next_definition(name));
  return function != nullptr;
}

bool find_all(Libomp& l) {
  return find(l.global_thread_num, "__kmpc_global_thread_num") && find(l.fork_call, "__kmpc_fork_call") &&
         find(l.serialized_parallel, "__kmpc_serialized_parallel") &&
         find(l.end_serialized_parallel, "__kmpc_end_serialized_parallel") && find(l.barrier, "__kmpc_barrier") &&
         find(l.task_alloc, "__kmpc_omp_task_alloc") && find(l.task, "__kmpc_omp_task") &&
         find(l.task_with_deps, "__kmpc_omp_task_with_deps") &&
         find(l.task_begin_if0, "__kmpc_omp_task_begin_if0") &&
         find(l.task_complete_if0, "__kmpc_omp_task_complete_if0") && find(l.taskwait, "__kmpc_omp_taskwait") &&
         find(l.taskyield, "__kmpc_omp_taskyield") && find(l.taskgroup, "__kmpc_taskgroup") &&
         find(l.end_taskgroup, "__kmpc_end_taskgroup") && find(l.num_threads, "omp_get_num_threads") &&
         find(l.cancellation, "omp_get_cancellation") && find(l.stack_bytes, "kmp_get_stacksize_s") &&
         find(l.blocktime_ms, "kmp_get_blocktime");
}

}  // namespace

const Libomp& libomp() {
  static Libomp table;
  static std::atomic<int> state{0};  // 0 nobody looked, 1 somebody looks, 2 done; release-published after the table
  if (state.load(std::memory_order_acquire) == 2) return table;
  Libomp mine{};
  mine.present = find_all(mine);
  int expected = 0;
  if (state.compare_exchange_strong(expected, 1)) {
    table = mine;
    state.store(2, std::memory_order_release);
  }
  while (state.load(std::memory_order_acquire) != 2) {}
  return table;
}

}  // namespace weir::omp
