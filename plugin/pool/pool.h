// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "weir/task.h"

namespace weir::pool {

// The own pool of workers, for programs with no tasking runtime and for what future.hpp starts.
//
// A worker's thread runs a hub; tasks run in contexts, each a loop on a stack of its own:
//
//   hub --enter--> context: runs task after task --leave--> hub        no work left, or somebody is ready
//                  a task waits: the context is set aside --leave--> hub calls start(), takes another context
//   wake(): the context is ready; the next hub that looks enters it

// 0, or -errno when no worker could be started. Idempotent; the arguments hold for the first call.
int start(int workers, std::size_t stack_bytes);
int size();

// A task runs, is set aside, or waits to be begun.
bool busy();

// The calling worker is about to block within a task that can't be set aside: another serves in its place from now on, until
// the task is over. Nothing where no worker calls.
void serve_without_me();

// As weir_spawn and weir_unspawn; the pool must have been started.
void spawn(weir_task* task);
bool unspawn(weir_task* task);

// What the registry of runtimes is told: tasks on workers can be set aside.
extern const weir_runtime pool_runtime;

// In a forked child there are no workers; tasks not yet run are gone with the parent's.
void after_fork();

}  // namespace weir::pool
