// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/waits.h"

#include "omp_ext/idle.h"
#include "omp_ext/pool.h"

namespace weir::omp {
namespace {

constinit Pool<Group> groups;

std::int32_t nothing(std::int32_t, KmpTask*) { return 0; }

bool holds_lock() { return base::self().lock_depth > 0; }

}  // namespace

void wait_for(Member& member, Tally& tally) {
  while (!tally.none()) {
    if (holds_lock() || refuses()) return work_until_none(member, tally);
    // Its own tasks first, while there are some to begin: that spares the switch.
    if (tally.any_queued() && begin_one(member)) continue;
    set_aside_until_none(member, tally);
  }
}

void wait_for_dependences(Member& member, Ident* place, std::int32_t gtid, std::int32_t count, Depend* list,
                          std::int32_t noalias_count, Depend* noalias_list) {
  // An empty task with these dependences is over when they are met; in a group of its own, to be told from its siblings.
  libomp().taskgroup(place, gtid);
  open_group(member);
  KmpTask* kmp = create_task(member, place, gtid, 0, sizeof(KmpTask), 0, nothing);
  {
    Movable movable(member);
    libomp().task_with_deps(place, gtid, kmp, count, list, noalias_count, noalias_list);
  }
  await_group(member);
  close_group(member);
  Movable movable(member);
  libomp().end_taskgroup(place, gtid);
}

void open_group(Member& member) {
  Group* group = groups.take();
  if (!group) return;  // its end waits for the group around it, or not at all but in libomp
  group->outer = member.current->group;
  group->tasks.reset();
  member.current->group = group;
}

void await_group(Member& member) {
  if (Group* group = member.current->group) wait_for(member, group->tasks);
}

void close_group(Member& member) {
  Group* group = member.current->group;
  if (!group) return;
  member.current->group = group->outer;
  groups.give(group);
}

void after_queueing(Member& member) {
  rouse_one(*member.region);
  // Creating a task is a place where others may go on; else whoever creates thousands keeps them all waiting.
  if (!holds_lock()) go_on_with_one(member);
}

}  // namespace weir::omp
