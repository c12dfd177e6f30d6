// SPDX-License-Identifier: Apache-2.0
// taskloop. libomp makes the loop's tasks by copying one that we would not see; so they are made here, by its rules.
#include <cstring>

#include "omp_ext/next.h"
#include "omp_ext/task_region.h"
#include "omp_ext/task_share.h"
#include "omp_ext/waits.h"

namespace weir::omp {
namespace {

constinit Next<void(Ident*, std::int32_t, KmpTask*, int, std::uint64_t*, std::uint64_t*, std::int64_t, int, int,
                    std::uint64_t, TaskDuplicate)>
    next_taskloop{"__kmpc_taskloop"};
constinit Next<void(Ident*, std::int32_t, KmpTask*, int, std::uint64_t*, std::uint64_t*, std::int64_t, int, int,
                    std::uint64_t, int, TaskDuplicate)>
    next_taskloop_5{"__kmpc_taskloop_5"};

// The compiler's loop: the pattern task holds its bounds.
struct Loop {
  Ident* place;
  KmpTask* pattern;
  bool deferred;
  std::uint64_t* lower;  // within the pattern
  std::uint64_t* upper;
  std::int64_t step;
  TaskDuplicate duplicate;  // copies what memcpy can't, or nullptr
};

KmpTask* copy_of(Member& member, const Loop& loop) {
  const Task& like = *task_of(loop.pattern);
  KmpTask* copy =
      create_task(member, loop.place, like.flags, like.task_bytes, like.shareds_bytes, like.routine);
  std::memcpy(static_cast<void*>(copy + 1), loop.pattern + 1, like.task_bytes - sizeof(KmpTask));
  if (like.shareds_bytes) std::memcpy(copy->shareds, loop.pattern->shareds, like.shareds_bytes);
  copy->part_id = loop.pattern->part_id;
  copy->data1 = loop.pattern->data1;
  copy->data2 = loop.pattern->data2;
  return copy;
}

template <typename T>
T* same_place(KmpTask* copy, const KmpTask* pattern, T* in_pattern) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(copy) +
                              (reinterpret_cast<const char*>(in_pattern) - reinterpret_cast<const char*>(pattern)));
}

void start(Member& member, const Loop& loop, std::uint64_t lower, std::uint64_t upper, bool last) {
  KmpTask* kmp = copy_of(member, loop);
  *same_place(kmp, loop.pattern, loop.lower) = lower;
  *same_place(kmp, loop.pattern, loop.upper) = upper;
  if (loop.duplicate) loop.duplicate(kmp, loop.pattern, last);
  Task& task = *task_of(kmp);
  if (loop.deferred) {
    about_to_queue(task);
    {
      Movable movable(member);
      libomp().task(loop.place, member.gtid, kmp);
    }
    after_queueing(member);
  } else {
    begin_undeferred(member, task, loop.place);
    task.routine(member.gtid, kmp);
    end_undeferred(member, task, loop.place);
  }
}

void run(Member& member, const Loop& loop, const Share& share, std::uint64_t lower, std::uint64_t upper) {
  for (std::uint64_t i = 0; i < share.tasks; ++i) {
    bool last = i + 1 == share.tasks;
    std::uint64_t end = last ? upper : lower + loop.step * (share.iterations_of(i) - 1);
    start(member, loop, lower, end, last);
    lower = end + loop.step;
  }
}

void taskloop(Member& member, const Loop& loop, bool group, const Share& share) {
  if (group) {
    libomp().taskgroup(loop.place, member.gtid);
    open_group(member);
  }
  run(member, loop, share, *loop.lower, *loop.upper);
  dispose(member, *task_of(loop.pattern));
  if (!group) return;
  Member& now = await_group_and_close();
  Movable movable(now);
  libomp().end_taskgroup(loop.place, now.gtid);
}

std::uint64_t trips(std::uint64_t lower, std::uint64_t upper, std::int64_t step) {
  if (step == 1) return upper - lower + 1;
  if (step < 0) return (lower - upper) / static_cast<std::uint64_t>(-step) + 1;
  return (upper - lower) / static_cast<std::uint64_t>(step) + 1;
}

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void __kmpc_taskloop(Ident* place, std::int32_t gtid, KmpTask* kmp, int deferred, std::uint64_t* lower,
                                     std::uint64_t* upper, std::int64_t step, int nogroup, int schedule,
                                     std::uint64_t amount, TaskDuplicate duplicate) {
  Member* member = member_here();
  if (!member || !ours(kmp))
    return next_taskloop(place, gtid, kmp, deferred, lower, upper, step, nogroup, schedule, amount, duplicate);
  Share share = share_out(trips(*lower, *upper, step), schedule, amount, false, member->region->threads);
  taskloop(*member, {place, kmp, deferred != 0, lower, upper, step, duplicate}, !nogroup, share);
}

WEIR_INTERPOSED void __kmpc_taskloop_5(Ident* place, std::int32_t gtid, KmpTask* kmp, int deferred,
                                       std::uint64_t* lower, std::uint64_t* upper, std::int64_t step, int nogroup,
                                       int schedule, std::uint64_t amount, int strict, TaskDuplicate duplicate) {
  Member* member = member_here();
  if (!member || !ours(kmp))
    return next_taskloop_5(place, gtid, kmp, deferred, lower, upper, step, nogroup, schedule, amount, strict, duplicate);
  Share share = share_out(trips(*lower, *upper, step), schedule, amount, strict, member->region->threads);
  taskloop(*member, {place, kmp, deferred != 0, lower, upper, step, duplicate}, !nogroup, share);
}
