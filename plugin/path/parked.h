// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meter/reason.h"
#include "path/call.h"
#include "path/plan.h"

namespace weir::path {

// The thread blocks as it would without weir; its core, if it had one, goes to a stand-in meanwhile. Not `looked`: that it
// would block was a guess.
Result parked(Call& call, const Plan& plan, meter::Reason reason, bool looked = true);

// The calling thread is about to block.
void one_more_is_blocked();

// It has given its core: others may come for it, so many in all.
void call_others(std::int64_t most);

}  // namespace weir::path
