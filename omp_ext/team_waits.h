// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp-tools.h>

#include "base/thread.h"

// Where a task waits for others, at a taskwait or the end of a taskgroup: libomp spins there until they are over, and yields to nobody.
// In a tree of tasks nearly all that have begun wait so; in a team of more threads than there are cores, as of one with stand-ins, they
// would take the cores from those few that compute. So libomp says which tasks there are, and here that becomes the number of those
// that are waited for; until there are none left the thread begins what libomp has for it, and else sleeps without a core.
//
// The words of ompt_data_t: an explicit task's is its Awaited, as long as there is one; an implicit one's is the tool's, and its
// Awaited stands in the thread's seat. All of these are libomp's callbacks, and do nothing outside of such teams.
namespace weir::team {

void task_is_created(base::Thread& thread, ompt_data_t* by, ompt_data_t* task, int flags);
void task_is_over(ompt_data_t* task);
void taskgroup_opens(base::Thread& thread, ompt_data_t* task);
void taskgroup_is_closed(base::Thread& thread, ompt_data_t* task);

// Returns when the task's children, or those of its innermost group, are over; earlier where that is not known, or libomp must not be
// asked: it waits for the rest itself.
void await_tasks(base::Thread& thread, ompt_sync_region_t kind, ompt_data_t* task);

// For a thread at a barrier of a team of more threads than cores, that has had nothing to do for so long: while tasks are not over, of
// which it may get none, it sleeps for a part of that time, or until none is left. False, and it did not sleep: there are none.
// (libomp lets nobody sleep while a team has tasks.)
bool slept_beside_tasks(std::int64_t idle_ns);

// The implicit task is over.
void forget_tasks(base::Thread& thread);

// In the child: another thread of the parent's may have been at what records are taken from.
void team_waits_after_fork();

}  // namespace weir::team
