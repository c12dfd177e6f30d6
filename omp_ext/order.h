// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/gomp_depend.h"

namespace weir::omp {

// A task's place in the order in which its parent's children may begin.
struct Place;
struct Task;

// The order of a task's children by what they depend on, where libomp is not to know it: what it keeps of dependences would bring the
// process down (task_memory.h). Of `parent`: nullptr where tasks are none of our business.

// Is that known here of the task that runs?
bool has_order(const Task* parent);

// The current task waits for those of its children that have to be over before one with `depends` begins.
void await_order(Task* parent, const GompDepends& depends);

// A child of the current task, with `depends`, that was created and not queued: it is queued when it may begin. nullptr: no memory.
// Those who wait for a child in vain come first: take_place, then what the task has to know, then queue_in_order.
Place* take_place(Task* parent, const GompDepends& depends);
void queue_in_order(Place* place, KmpTask* kmp);

// The child is over, for those that wait for it. One with an event: when both its body is, and that.
void leave_place(Place* place);
void await_event(Place* place, void* event);  // before it is queued
void leave_place_of(void* event);

// The task creates no more.
void give_order(Task& task);

void order_after_fork();

}  // namespace weir::omp
