// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weir/runtime.h"

namespace weir::tbb {

extern const weir_runtime runtime;  // oneTBB, as the engine sees it

// libtbb's own execution_slot, when the preload stands before it. Set before the runtime is registered.
extern std::uint16_t (*execution_slot)(const void*);

// Whether there is a stack for libtbb to go on with when a task is set aside, and that it has what it needs; likewise.
extern int (*stack_expected)();
extern void (*stack_came)();

// Likewise its max_concurrency.
extern int (*max_concurrency)(const void*);

// Whether tasks are to keep their order where the calling thread is, an arena made of so many slots, and no io_arena; likewise.
extern int (*one_at_a_time)(int slots);

// Whether the calling task has to go on on its thread; likewise.
extern int (*keeps_errno)();

// Whether the calling task is in OpenMP, too; likewise.
extern int (*in_openmp_too)();

// Whether the calling thread holds a lock; likewise.
extern int (*holds_lock)();

// Told of each task that is set aside; likewise.
extern void (*on_waiting)();

// Called when a task was set aside, by the thread that looks for another; when it goes on; and when it is ready to, by who woke it.
extern void (*on_set_aside)();
extern void (*on_going_on)();
extern void (*on_ready)();

// Makes it known to the engine; once, whoever asks.
void register_runtime();

}  // namespace weir::tbb
