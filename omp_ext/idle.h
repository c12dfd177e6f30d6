// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/task_region.h"

namespace weir::omp {

// Runs tasks on the calling thread until done(argument): goes on with those that are ready, begins others, else sleeps
// until poked.
void work_until(Member& member, bool (*done)(void*), void* argument);

// The same, until the tally has no task left.
void work_until_none(Member& member, Tally& tally);

// A task that was not begun is ready here for whoever may begin it.
void leave_ready(Member& member, Task& task);

// Goes on with one ready task of its own, if there is one that may go on on top of that.
bool go_on_with_one(Member& member, Below below = Below::blocks);

// The same where a task waits here with a lock held, and only its descendants are to go on: after a while others may.
bool go_on_at_last(Member& member, Below below);

// Called on a thread whose task was just set aside: while far more calls wait for permits than there are, what is ready goes
// on before anything new begins here, and where nothing is, the thread waits for a moment. Else a thread that only begins
// tasks sets all of them aside, however slow the device: each has a stack, and none would come to its end before the last.
void catch_up(Member& member);

// How long a thread may leave a ready task lying that is tied to it: then, where the program can't tell, another thread
// goes on with it. A task on that thread may be waiting, in a way that nobody can see, for the one it keeps waiting.
void set_patience(std::int64_t ms);

// Lets libomp begin one of its tasks here. False: there seems to be none.
bool begin_one(Member& member);

// A task was queued: a sleeping thread may want it.
void rouse_one(Region& region);
void rouse_all(Region& region);

}  // namespace weir::omp
