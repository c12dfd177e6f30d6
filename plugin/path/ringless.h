// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "path/call.h"
#include "path/plan.h"

// Where there is no ring to be had (a container's filter, kernel.io_uring_disabled): a task that reads a file is set aside all the
// same, and a thread of ours makes its call, as an errand. What waits for others parks: it might keep our threads for ever.
namespace weir::path {

// Once it is known that there is none: starts the thread that keeps watch over tasks, as the driver does else.
void go_without_ring();

bool is_without_ring();

// A read of a file that would be the ring's. (Not stdio's: its own call is made under the FILE's lock, which is its thread's.)
bool goes_elsewhere(const Call& call, const Plan& plan);

void ringless_after_fork();

}  // namespace weir::path
