// SPDX-License-Identifier: Apache-2.0
// Where code by gcc waits: for tasks, and at barriers.
#include "omp_ext/gomp_below.h"
#include "omp_ext/gomp_depend.h"
#include "omp_ext/gomp_wait.h"
#include "omp_ext/idle.h"
#include "omp_ext/next.h"
#include "omp_ext/order.h"
#include "omp_ext/task_memory.h"
#include "omp_ext/task_region.h"
#include "omp_ext/waits.h"

namespace weir::omp {
namespace {

constinit Next<void()> next_taskwait{"GOMP_taskwait"};
constinit Next<void(void**)> next_taskwait_depend{"GOMP_taskwait_depend"};
constinit Next<void()> next_taskyield{"GOMP_taskyield"};
constinit Next<void()> next_taskgroup_start{"GOMP_taskgroup_start"};
constinit Next<void()> next_taskgroup_end{"GOMP_taskgroup_end"};
constinit Next<void()> next_barrier{"GOMP_barrier"};
constinit Next<bool()> next_barrier_cancel{"GOMP_barrier_cancel"};
constinit Next<void()> next_loop_end{"GOMP_loop_end"};
constinit Next<bool()> next_loop_end_cancel{"GOMP_loop_end_cancel"};
constinit Next<void()> next_sections_end{"GOMP_sections_end"};
constinit Next<bool()> next_sections_end_cancel{"GOMP_sections_end_cancel"};
constinit Next<bool()> next_single_start{"GOMP_single_start"};
constinit Next<void*()> next_single_copy_start{"GOMP_single_copy_start"};
constinit Next<void(void*)> next_single_copy_end{"GOMP_single_copy_end"};
constinit Next<void(bool)> next_workshare_unregister{"GOMP_workshare_task_reduction_unregister"};

void settle_here() {
  if (Member* member = member_here()) settle(*member);
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void GOMP_taskwait() {
  Member* member = member_here();
  if (!member) return next_taskwait();
  wait_for(member->current->children);
  Member& now = member_now();
  if (!now.current->lingering.none()) return;
  Movable movable(now);
  next_taskwait();
}

bool weir::omp::waits_for_depends(Member* member, void** depend) {
  if (!member && !is_over_libomp()) return false;
  GompDepends depends(depend);
  Task* parent = member ? member->current : nullptr;
  if ((member ? member->region->orders_tasks() : may_end_before_its_team()) && has_order(parent)) {
    await_order(parent, depends);
    return true;
  }
  auto* list = static_cast<Depend*>(__builtin_alloca((depends.count() + 1) * sizeof(Depend)));
  for (std::int32_t i = 0; i < depends.count(); ++i) list[i] = depends[i];
  if (!member)
    return waits_for_dependences_outside(nullptr, libomp().global_thread_num(nullptr), depends.count(), list, 0, nullptr);
  wait_for_dependences(*member, nullptr, depends.count(), list, 0, nullptr);
  return true;
}

WEIR_INTERPOSED void GOMP_taskwait_depend(void** depend) {
  if (!waits_for_depends(member_here(), depend)) next_taskwait_depend(depend);
}

WEIR_INTERPOSED void GOMP_taskyield() {
  Member* member = member_here();
  if (!member) return next_taskyield();
  if (weir::base::self().lock_depth > 0) return;
  yield(*member, [](Member& now) { begin_one(now); });
}

WEIR_INTERPOSED void GOMP_taskgroup_start() {
  next_taskgroup_start();
  if (Member* member = member_here()) open_group(*member);
}

WEIR_INTERPOSED void GOMP_taskgroup_end() {
  Member* member = member_here();
  if (!member) return next_taskgroup_end();
  Member& now = await_group_and_close();
  Movable movable(now);
  next_taskgroup_end();
}

WEIR_INTERPOSED void GOMP_barrier() {
  settle_here();
  next_barrier();
}
WEIR_INTERPOSED bool GOMP_barrier_cancel() {
  settle_here();
  return next_barrier_cancel();
}
WEIR_INTERPOSED void GOMP_loop_end() {
  settle_here();
  next_loop_end();
}
WEIR_INTERPOSED bool GOMP_loop_end_cancel() {
  settle_here();
  return next_loop_end_cancel();
}
WEIR_INTERPOSED void GOMP_sections_end() {
  settle_here();
  next_sections_end();
}
WEIR_INTERPOSED bool GOMP_sections_end_cancel() {
  settle_here();
  return next_sections_end_cancel();
}

// single copyprivate: who runs the block goes on at once; the others come to libomp's two barriers, between which they learn where
// the values lie. libomp's own start is both in one: there they would come to the first of them unsettled.
WEIR_INTERPOSED void* GOMP_single_copy_start() {
  Member* member = member_here();
  if (!member) return next_single_copy_start();
  if (next_single_start()) return nullptr;
  settle(*member);
  libomp().barrier(nullptr, member->gtid);  // not by gcc's name for it, which calls ours
  void* copied = member->region->copied;
  libomp().barrier(nullptr, member->gtid);
  return copied;
}
WEIR_INTERPOSED void GOMP_single_copy_end(void* data) {
  if (Member* member = member_here()) {
    member->region->copied = data;
    settle(*member);
  }
  next_single_copy_end(data);
}

// Ends a taskgroup that libomp opened with the loop, and holds a barrier.
WEIR_INTERPOSED void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  settle_here();
  next_workshare_unregister(cancelled);
}
