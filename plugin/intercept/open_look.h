// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "path/call.h"
#include "path/habit.h"

namespace weir::intercept {

// Opens a name if that needs no wait, as far as can be told: an open that may make or empty a file is not tried, nor is one where opens
// of late took long all the same (as they do where a server is asked each time), nor, mostly, one of many that were not at hand.
// The descriptor; -EAGAIN: it would wait, or nobody looked; or another error. `cold`: it was not at hand, or would
// have been asked for all the same.
Result open_at_hand(int directory, const char* path, int flags, path::Habit& habit, bool* cold);

// Have calls of that sort taken long of late, so that the next one had better be waited for? Of a thread with a core, one in 16 not.
bool takes_long(const path::Habit& habit);

// Is the next call of that sort to be timed? While they are short, one in 8.
bool is_to_be_timed(const path::Habit& habit);

// The caller gave a mode only when the flags ask for one.
bool has_mode(int flags);

// The open of a named pipe waits for who opens its other end. That may be a task that was set aside on this very thread, or one who
// waits for such a task: so where some are, and the name is a pipe's, another thread is to make `call`. (A look would wait already.)
void wait_for_other_end(path::Call& call, int directory, const char* path, int flags);

// May it make a file, or empty one? Then the kernel has work to do, and like as not no wait.
bool may_make(int flags);

}  // namespace weir::intercept
