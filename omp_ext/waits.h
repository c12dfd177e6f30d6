// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// A taskgroup of the current task opens; its tasks are over, and it closes. (As wait_for().)
void open_group(Member& member);
Member& await_group_and_close();

// A taskyield of the current task, where no lock is held: others that are ready go on, or begin(member) begins one. What spins so may
// wait for the very task that lies below it on its thread.
template <typename Begin>
void yield(Member& member, Begin begin) {
  if (!keeps_others_off(member)) {
    bool had_others = has_ready(member);
    if (make_way() && had_others) return;
  }
  Member& now = member_now();
  OnlyBelow only_below(now);
  if (!go_on_with_one(now)) begin(now);
}

// After tasks were given to libomp: a thread that sleeps may take one, and what is ready here goes on.
void after_queueing(Member& member);

// In the child: another thread of the parent's may have been at what groups are taken from.
void waits_after_fork();

}  // namespace weir::omp
