// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// A task of the calling thread was set aside, and libtbb looks for another. Where it would find none, it first spins on its core
// for twice as long for each slot of its arena: with one core alone, it keeps that from the driver, which would make one ready.
// There, a thread that last had a task that had been set aside itself sleeps instead, until one is ready or as long as it
// would spin at least.
void task_was_set_aside();

// On the thread where it goes on.
void task_goes_on();

// By the driver, when a task can go on and libtbb knows it.
void task_is_ready();

}  // namespace weir::tbb
