// SPDX-License-Identifier: Apache-2.0
#pragma once

// The last resort when tasks are ready and no thread comes for them, since every one runs code that waits, in a way
// nobody can see, for what such a task will do: the busy thread is interrupted, and goes on with the ready task there.
//
//   busy code --signal--> ready task runs on this thread --ends, or is set aside--> busy code
//                              `--signal--> is left, and ready again ----------------'
//
// So two that wait for each other's turn each have some. Only where a program was found to keep nothing a thread, only
// in code of its own (not within libc, the run-time or weir), and only with no lock held that weir knows of.
namespace weir::omp {

// From now on the watchdog's finding leads to the above.
void preempt_when_stalled();

}  // namespace weir::omp
