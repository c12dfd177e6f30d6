// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "omp_ext/idle.h"
#include "omp_ext/task_region.h"

namespace weir::omp {

// What taskwait, the end of a taskgroup and a wait for dependences have in common: the calling task goes on when the
// tally has no task left. It is set aside where it can be, and else its thread works meanwhile. An untied one may be on
// another thread after it: ask member_now().
void wait_for(Tally& tally);

// The current task goes on when these dependences, as of a task created now, are met.
void wait_for_dependences(Member& member, Ident* place, std::int32_t count, Depend* list,
                          std::int32_t noalias_count, Depend* noalias_list);

// The same where tasks are none of our business; false: it is for libomp to do. With a tool that keeps a word of implicit tasks libomp stops
// the program there, where the task runs at a region's last barrier: it has the word of the wait in the same place.
bool waits_for_dependences_outside(Ident* place, std::int32_t gtid, std::int32_t count, Depend* list, std::int32_t noalias_count,
                                   Depend* noalias_list);

// A taskgroup of the current task opens; its tasks are over, and it closes. (As wait_for().)
void open_group(Member& member);
Member& await_group_and_close();

// A taskyield of the current task, where no lock is held: others that are ready go on, and others begin, by begin(member) where it can't
// be set aside for them. What spins so may wait for the very task that lies below it on its thread, or for one that has not begun.
template <typename Begin>
void yield(Member& member, Begin begin) {
  if (!keeps_others_off(member)) {
    member.yielded = true;
    if (make_way()) return;
    member.yielded = false;
  }
  OnlyBelow only_below(member);
  bool went_on = go_on_with_one(member);
  if (!went_on || std::exchange(member.yielded, false)) begin(member);
}

// After tasks were given to libomp: a thread that sleeps may take one, and what is ready here goes on.
void after_queueing(Member& member);

// In the child: another thread of the parent's may have been at what groups are taken from.
void waits_after_fork();

}  // namespace weir::omp
