// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"
#include "path/plan.h"

namespace weir::path {

// Where the task could be set aside, and is better off, for a moment at least, with its thread blocked.

// While few are to go on no task is set aside, so that no other begins, where the call ends by itself.
bool waited_in_place(Call& call, const Plan& plan, Result* result);

// No task is aside, and another thread that looked for something to do found nothing, or this one did while the last few tasks were.
// To set this one aside too, and to bring it back by way of the driver's thread, would only make it wait longer. (What comes from
// somebody else may be long in coming.)
bool core_is_wanted_by_nobody(const Call& call, const Plan& plan);

// oneTBB's locks are inlined, but for those that sleep: is one held? What comes from somebody else is waited for in place for a
// moment only, held or not: another task may be to send it. What ends by itself, in place until it does; but a long sleep is no
// trial. (By what only a thread can wait for, not at all.)
bool waited_with_unseen_lock(Call& call, Plan& plan, Result* result);

}  // namespace weir::path
