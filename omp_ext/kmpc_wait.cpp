// SPDX-License-Identifier: Apache-2.0
// Where a task waits for others: taskwait, taskgroup, taskyield, dependences.
#include "omp_ext/idle.h"
#include "omp_ext/next.h"
#include "omp_ext/task_region.h"
#include "omp_ext/waits.h"

namespace weir::omp {
namespace {

constinit Next<std::int32_t(Ident*, std::int32_t)> next_taskwait{"__kmpc_omp_taskwait"};
constinit Next<std::int32_t(Ident*, std::int32_t, int)> next_taskyield{"__kmpc_omp_taskyield"};
constinit Next<void(Ident*, std::int32_t)> next_taskgroup{"__kmpc_taskgroup"};
constinit Next<void(Ident*, std::int32_t)> next_end_taskgroup{"__kmpc_end_taskgroup"};
constinit Next<void(Ident*, std::int32_t, std::int32_t, Depend*, std::int32_t, Depend*)> next_wait_deps{
    "__kmpc_omp_wait_deps"};
constinit Next<void(Ident*, std::int32_t, std::int32_t, Depend*, std::int32_t, Depend*, std::int32_t)>
    next_taskwait_deps{"__kmpc_omp_taskwait_deps_51"};
constinit Next<void*(int, int, void*)> next_reduction_init{"__kmpc_task_reduction_init"};
constinit Next<void*(int, int, void*)> next_taskred_init{"__kmpc_taskred_init"};
constinit Next<void*(Ident*, int, int, int, void*)> next_reduction_modifier_init{
    "__kmpc_task_reduction_modifier_init"};
constinit Next<void*(Ident*, int, int, int, void*)> next_taskred_modifier_init{"__kmpc_taskred_modifier_init"};
constinit Next<void(Ident*, int, int)> next_reduction_modifier_fini{"__kmpc_task_reduction_modifier_fini"};

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED std::int32_t __kmpc_omp_taskwait(Ident* place, std::int32_t gtid) {
  Member* member = member_here();
  if (!member) return next_taskwait(place, gtid);
  Task& task = *member->current;
  wait_for(task.children);
  // libomp alone knows of those for a device, and would wait for the children's children with them.
  if (has_device_tasks.load(std::memory_order_relaxed)) wait_for(task.lingering);
  Member& now = member_now();
  if (!now.current->lingering.none()) return 0;  // libomp would wait for the children's children
  // Our count is a moment ahead of libomp's, which destroys what the tasks had.
  Movable movable(now);
  return next_taskwait(place, now.gtid);
}

WEIR_INTERPOSED std::int32_t __kmpc_omp_taskyield(Ident* place, std::int32_t gtid, int end_part) {
  Member* member = member_here();
  if (!member) return next_taskyield(place, gtid, end_part);
  if (weir::base::self().lock_depth > 0) return 0;
  yield(*member, [=](Member& now) {
    Movable movable(now);
    next_taskyield(place, now.gtid, end_part);
  });
  return 0;
}

WEIR_INTERPOSED void __kmpc_taskgroup(Ident* place, std::int32_t gtid) {
  next_taskgroup(place, gtid_here(gtid));
  if (Member* member = member_here()) open_group(*member);
}

WEIR_INTERPOSED void __kmpc_end_taskgroup(Ident* place, std::int32_t gtid) {
  Member* member = member_here();
  if (!member) return next_end_taskgroup(place, gtid);
  await_group_and_close();
  // One of the group's for a device may wait for a task before the group, which nobody would go on with while libomp waits here.
  if (has_device_tasks.load(std::memory_order_relaxed)) wait_for(member_now().current->children);
  Member& now = member_now();
  Movable movable(now);
  next_end_taskgroup(place, now.gtid);
}

WEIR_INTERPOSED void __kmpc_omp_wait_deps(Ident* place, std::int32_t gtid, std::int32_t count, Depend* list,
                                          std::int32_t noalias_count, Depend* noalias_list) {
  Member* member = member_here();
  if (!member && waits_for_dependences_outside(place, gtid_here(gtid), count, list, noalias_count, noalias_list)) return;
  if (!member) return next_wait_deps(place, gtid, count, list, noalias_count, noalias_list);
  wait_for_dependences(*member, place, count, list, noalias_count, noalias_list);
}

WEIR_INTERPOSED void __kmpc_omp_taskwait_deps_51(Ident* place, std::int32_t gtid, std::int32_t count, Depend* list,
                                                 std::int32_t noalias_count, Depend* noalias_list,
                                                 std::int32_t has_no_wait) {
  Member* member = member_here();
  if (!member && waits_for_dependences_outside(place, gtid_here(gtid), count, list, noalias_count, noalias_list)) return;
  if (!member)
    return next_taskwait_deps(place, gtid_here(gtid), count, list, noalias_count, noalias_list, has_no_wait);
  // (libomp waits even where it need not: has_no_wait.)
  wait_for_dependences(*member, place, count, list, noalias_count, noalias_list);
}

// The calling task's group has a reduction. (Cancelling one takes the number too; but where that may be, programs park.)
WEIR_INTERPOSED void* __kmpc_task_reduction_init(int gtid, int count, void* data) {
  return next_reduction_init(gtid_here(gtid), count, data);
}

WEIR_INTERPOSED void* __kmpc_taskred_init(int gtid, int count, void* data) {
  return next_taskred_init(gtid_here(gtid), count, data);
}

// reduction(task, ...) on a region or loop: libomp opens a taskgroup in it, and closes it at the end.
WEIR_INTERPOSED void* __kmpc_task_reduction_modifier_init(Ident* place, int gtid, int loop, int count, void* data) {
  void* group = next_reduction_modifier_init(place, gtid, loop, count, data);
  if (Member* member = member_here()) open_group(*member);
  return group;
}

WEIR_INTERPOSED void* __kmpc_taskred_modifier_init(Ident* place, int gtid, int loop, int count, void* data) {
  void* group = next_taskred_modifier_init(place, gtid, loop, count, data);
  if (Member* member = member_here()) open_group(*member);
  return group;
}

WEIR_INTERPOSED void __kmpc_task_reduction_modifier_fini(Ident* place, int gtid, int loop) {
  if (member_here()) await_group_and_close();
  next_reduction_modifier_fini(place, gtid, loop);
}
