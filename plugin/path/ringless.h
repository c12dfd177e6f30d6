// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "op/op.h"
#include "path/call.h"
#include "path/plan.h"

// Where there is no ring to be had (a container's filter, kernel.io_uring_disabled), tasks are set aside all the same. What comes from
// others is waited for by a thread of ours, as poll does it; reads of files, sleeps, syncs and connections are made by further ones,
// as errands.
//
// What parks here may only be what is over by itself: where some tasks are set aside, and those that the program's threads block in
// wait for them, nobody goes on. Tasks of oneTBB that have stand-ins all park: none is set aside.
namespace weir::path {

// Once it is known that there is none: starts the thread that waits, and keeps the watch over tasks that is the driver's else.
void go_without_ring();

bool is_without_ring();

// The call would be the ring's: does it park then? Else the plan is changed to one that needs none.
bool parks_without_ring(const Call& call, Plan& plan);

// A poll, or a timeout of so long: its done() is called when it is ready, or its time over. False: it can't be waited for so,
// and done() is not called.
bool waits_without_ring(const op::Op& operation);
bool wait_without_ring(op::Request& request);

void ringless_after_fork();

}  // namespace weir::path
