// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "op/op.h"
#include "weir/runtime.h"

namespace weir::path {

// Gives a request to the ring, by way of the gate when it binds a permit; its done() is called on the driver's thread,
// once. False: there is no ring; done() will not be called.
bool submit(op::Request& request);

// Of one that was submitted, and is over: a connection that is made or not, or was used.
void tell_of_connection(const op::Request& request);

// Asks for an early end of a request that was submitted and is not known to be over.
void cancel(op::Request& request);

// Sets the calling task aside until the operation is over. False: the runtime or the ring would not (`refusal`, or 0
// for the ring), and nothing happened. After true the caller may stand on another thread.
// on_a_guess: that a read from this socket may wait was not asked. Where it waits long and may not, it ends with -ECANCELED.
bool perform(const op::Op& operation, bool binds_permit, const weir_runtime& runtime, Result* result, int* refusal,
             bool on_a_guess = false);

// Sets the calling task aside, has the runtime call start(argument, waiter) then, and returns when the waiter was woken: what woke it
// counts the task as ready (meter::gauges) before. False: as perform() has it.
bool set_aside(const weir_runtime& runtime, void (*start)(void*, weir_waiter*), void* argument, int* refusal);

// Counts the wait, since `began`, of a task that was set aside for it and has just gone on, and says how long it took. That it stood ready
// then, until a thread had time for it, is no part of it, and is counted as a wait for a core.
std::int64_t count_suspended(std::int64_t began);

// Gives back a permit that a thread held; the request that takes it over, if any, goes to the ring.
void release_permit();

}  // namespace weir::path
