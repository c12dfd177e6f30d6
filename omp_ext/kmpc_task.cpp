// SPDX-License-Identifier: Apache-2.0
// Where explicit tasks are created, and where undeferred ones begin and end.
#include <cstdlib>
#include <cstring>

#include "omp_ext/next.h"
#include "omp_ext/task_memory.h"
#include "omp_ext/task_region.h"
#include "omp_ext/waits.h"

namespace weir::omp {
namespace {

constinit Next<KmpTask*(Ident*, std::int32_t, std::int32_t, std::size_t, std::size_t, Routine)> next_task_alloc{
    "__kmpc_omp_task_alloc"};
constinit Next<KmpTask*(Ident*, std::int32_t, std::int32_t, std::size_t, std::size_t, Routine, std::int64_t)> next_target_task_alloc{
    "__kmpc_omp_target_task_alloc"};
constinit Next<std::int32_t(Ident*, std::int32_t, KmpTask*)> next_task{"__kmpc_omp_task"};
constinit Next<std::int32_t(Ident*, std::int32_t, KmpTask*, std::int32_t, Depend*, std::int32_t, Depend*)>
    next_task_with_deps{"__kmpc_omp_task_with_deps"};
constinit Next<void(Ident*, std::int32_t, KmpTask*)> next_task_begin_if0{"__kmpc_omp_task_begin_if0"};
constinit Next<void(Ident*, std::int32_t, KmpTask*)> next_task_complete_if0{"__kmpc_omp_task_complete_if0"};
constinit Next<void*(int, void*, void*)> next_reduction_data{"__kmpc_task_reduction_get_th_data"};

// As libomp reads it: has it threads of its own for tasks that are for a device?
bool has_helpers() {
  const char* wanted = std::getenv("LIBOMP_USE_HIDDEN_HELPER_TASK");
  if (wanted && *wanted && std::strchr("0fFnNdD.", *wanted)) return false;
  if (wanted && (*wanted == 'o' || *wanted == 'O') && (wanted[1] == 'f' || wanted[1] == 'F')) return false;
  const char* number = std::getenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS");
  return !number || !*number || std::strtol(number, nullptr, 10) != 0;
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED KmpTask* __kmpc_omp_task_alloc(Ident* place, std::int32_t gtid, std::int32_t flags,
                                               std::size_t task_bytes, std::size_t shareds_bytes, Routine routine) {
  Member* member = member_here();
  // A target task is its own world.
  if (!member || (flags & (flag_proxy | flag_hidden_helper)))
    return next_task_alloc(place, gtid_here(gtid), flags, task_bytes, task_memory(shareds_bytes), routine);
  return create_task(*member, place, flags, task_bytes, shareds_bytes, routine);
}

WEIR_INTERPOSED KmpTask* __kmpc_omp_target_task_alloc(Ident* place, std::int32_t gtid, std::int32_t flags, std::size_t task_bytes,
                                                      std::size_t shareds_bytes, Routine routine, std::int64_t device) {
  if (!has_helpers()) return __kmpc_omp_task_alloc(place, gtid, flags & ~flag_tied, task_bytes, shareds_bytes, routine);
  has_device_tasks.store(true, std::memory_order_relaxed);
  return next_target_task_alloc(place, gtid_here(gtid), flags, task_bytes, shareds_bytes, routine, device);
}

WEIR_INTERPOSED std::int32_t __kmpc_omp_task(Ident* place, std::int32_t gtid, KmpTask* kmp) {
  if (!ours(kmp)) return next_task(place, gtid_here(gtid), kmp);
  Task& task = *task_of(kmp);
  // An untied task asks to be called for its next part. Nobody else would call one that was not deferred.
  if (task.shell) return task.routine(gtid_here(gtid), kmp);
  if (task.state != TaskState::fresh) {
    // Its stack is still in use: run_routine does it.
    task.again = true;
    return 0;
  }
  Member* member = member_here();
  if (!member) return next_task(place, gtid, kmp);
  about_to_queue(task);
  std::int32_t result;
  {
    Movable movable(*member);
    result = next_task(place, member->gtid, kmp);
  }
  after_queueing(*member);
  return result;
}

WEIR_INTERPOSED std::int32_t __kmpc_omp_task_with_deps(Ident* place, std::int32_t gtid, KmpTask* kmp,
                                                       std::int32_t count, Depend* list, std::int32_t noalias_count,
                                                       Depend* noalias_list) {
  Member* member = member_here();
  if (!member || !ours(kmp))
    return next_task_with_deps(place, gtid_here(gtid), kmp, count, list, noalias_count, noalias_list);
  Task& task = *task_of(kmp);
  about_to_queue(task, count + noalias_count);
  std::int32_t result;
  {
    Movable movable(*member);
    result = next_task_with_deps(place, member->gtid, kmp, count, list, noalias_count, noalias_list);
  }
  after_queueing(*member);
  return result;
}

// An undeferred task (if(0)): the compiler calls its routine between these two, on the creator's stack.
WEIR_INTERPOSED void __kmpc_omp_task_begin_if0(Ident* place, std::int32_t gtid, KmpTask* kmp) {
  Member* member = member_here();
  if (!member || !ours(kmp)) return next_task_begin_if0(place, gtid_here(gtid), kmp);
  begin_undeferred(*member, *task_of(kmp), place);
}

WEIR_INTERPOSED void __kmpc_omp_task_complete_if0(Ident* place, std::int32_t gtid, KmpTask* kmp) {
  Member* member = member_here();
  if (!member || !ours(kmp)) return next_task_complete_if0(place, gtid_here(gtid), kmp);
  end_undeferred(*member, *task_of(kmp), place);
}

// The task now has a pointer to its thread's copy of a reduction: another task on this thread would find the same one in
// whatever state it was left in. So from here on it is not set aside.
WEIR_INTERPOSED void* __kmpc_task_reduction_get_th_data(int gtid, void* group, void* item) {
  if (Member* member = member_here()) member->current->of_its_thread = true;
  return next_reduction_data(gtid_here(gtid), group, item);
}
