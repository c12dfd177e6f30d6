// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tbb_ext/hooks.h"

namespace weir::tbb {

// How many of the processors that libtbb was told of it may use at the moment, as a tbb::global_control:
//
//   as many as cores --calls block--> twice as many, while more than half of the stand-ins are blocked --> all
//          ^-------- an algorithm begins, or a call blocks alone, and none has beside others for a while --------'
//
// One call that blocks alone, and not for long, is no reason for stand-ins where there is more than one core: where one task reads what
// others compute on, as in a pipeline, the other threads are idle often enough. And an idle thread costs: libtbb's spins for a while
// for each slot that an arena has, which are many here, before it yields for the first time.
//
// Calls on storage are worth no more than there are permits for them.
//
// And one more each time when tasks that could go on find no thread: those there are spin, it may be, for what such a task
// is to do. A new thread first looks for tasks that were set aside. Not more at once: it may spin as well then.
//
// A program without I/O has the threads it would have without us.
void begin_limit(const weir_tbb_machine& machine);
// The program's own controls: while all of them allow more threads than there are cores, as many as they allow.
void control_comes(std::int64_t threads);
void control_went(std::int64_t threads);
int has_controls();
// Do they say how many threads there are, or is no more than it was told for it to be found?
bool threads_are_limited();
// Does one of them allow but one thread? libtbb has no workers then, but for what is enqueued.
bool one_is_allowed();
void raise_limit(std::int64_t parked, std::int64_t most);
void one_blocks_alone();
void relax_limit();
void break_stall();
void lower_limit();  // back to the fewest at once, whatever is blocked

}  // namespace weir::tbb
