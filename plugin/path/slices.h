// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"
#include "path/plan.h"
#include "wait/lane.h"

namespace weir::path {

// What the call waits for may have to be done by a task that goes on on this very thread: it waits by slices, or has another thread
// wait, and makes way meanwhile. False: it may as well block.
bool waited_by_slices(Call& call, const Plan& plan, const wait::Choice& choice, Result* result);

// Who sleeps again and again may look in between for what a task is to do that goes on on this very thread.
bool parked_in_a_row(Call& call, const Plan& plan, meter::Reason reason, Result* result);

}  // namespace weir::path
