// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/task_region.h"

namespace weir::omp {

// What taskwait, the end of a taskgroup and a wait for dependences have in common: the calling task goes on when the
// tally has no task left. It is set aside where it can be, and else its thread works meanwhile.
void wait_for(Member& member, Tally& tally);

// The current task goes on when these dependences, as of a task created now, are met.
void wait_for_dependences(Member& member, Ident* place, std::int32_t gtid, std::int32_t count, Depend* list,
                          std::int32_t noalias_count, Depend* noalias_list);

// A taskgroup of the current task opens; its tasks are over, and it closes.
void open_group(Member& member);
void await_group(Member& member);
void close_group(Member& member);

// After tasks were given to libomp: a thread that sleeps may take one, and what is ready here goes on.
void after_queueing(Member& member);

}  // namespace weir::omp
