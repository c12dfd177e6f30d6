// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/waits.h"

#include "omp_ext/idle.h"
#include "omp_ext/pool.h"
#include "omp_ext/tool.h"

namespace weir::omp {
namespace {

constinit Pool<Group> groups;

std::int32_t nothing(std::int32_t, KmpTask*) { return 0; }

bool holds_lock() { return base::self().lock_depth > 0; }

}  // namespace

void waits_after_fork() { groups.after_fork(); }

void wait_for(Tally& tally) {
  while (!tally.none()) {
    Member& member = member_now();
    if (holds_lock() || !may_step_aside()) return work_until_none(member, tally);
    // Its own tasks first, while there are some to begin: that spares the switch.
    if (tally.any_queued() && begin_one(member)) continue;
    set_aside_until_none(tally);
  }
}

void wait_for_dependences(Member& member, Ident* place, std::int32_t count, Depend* list,
                          std::int32_t noalias_count, Depend* noalias_list) {
  // An empty task with these dependences is over when they are met; in a group of its own, to be told from its siblings.
  libomp().taskgroup(place, member.gtid);
  open_group(member);
  KmpTask* kmp = create_task(member, place, 0, sizeof(KmpTask), 0, nothing);
  {
    about_to_queue(*task_of(kmp), count + noalias_count);
    Movable movable(member);
    libomp().task_with_deps(place, member.gtid, kmp, count, list, noalias_count, noalias_list);
  }
  Member& now = await_group_and_close();
  Movable movable(now);
  libomp().end_taskgroup(place, now.gtid);
}

bool waits_for_dependences_outside(Ident* place, std::int32_t gtid, std::int32_t count, Depend* list, std::int32_t noalias_count,
                                   Depend* noalias_list) {
  if (!team::tool_active() || !libomp().present) return false;
  libomp().taskgroup(place, gtid);
  KmpTask* kmp = libomp().task_alloc(place, gtid, flag_tied, sizeof(KmpTask), 0, nothing);
  libomp().task_with_deps(place, gtid, kmp, count, list, noalias_count, noalias_list);
  libomp().end_taskgroup(place, gtid);
  return true;
}

void open_group(Member& member) {
  Task& task = *member.current;
  bool outermost = task.groups_open++ == 0;
  Group* group = outermost ? &task.outermost_group : task.groups_missing ? nullptr : groups.take();
  if (!group) {
    ++task.groups_missing;  // so are those within it
    return;
  }
  group->outer = task.group;
  group->tasks.reset();
  task.group = group;
}

Member& await_group_and_close() {
  Task& task = *member_now().current;
  if (!task.groups_open) return member_now();  // it was opened where tasks are none of our business
  if (task.groups_missing) {
    // More than the group's tasks: but none of those is left when all are over.
    wait_for(task.children);
    wait_for(task.lingering);
    --task.groups_missing;
  } else {
    Group* group = task.group;
    wait_for(group->tasks);
    task.group = group->outer;
    if (group != &task.outermost_group) groups.give(group);
  }
  --task.groups_open;
  return member_now();
}

void after_queueing(Member& member) {
  rouse_one(*member.region);
  // Creating a task is a place where others may go on; else whoever creates thousands keeps them all waiting.
  if (holds_lock()) return;
  OnlyBelow only_below(member);
  go_on_with_one(member, Below::goes_on);
}

}  // namespace weir::omp
