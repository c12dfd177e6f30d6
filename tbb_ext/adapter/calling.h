// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "tbb_ext/adapter/arenas.h"

namespace weir::tbb {

// Where libtbb has no workers, since an arena has one slot or a control allows one thread, one comes as long as there are tasks
// that were enqueued and have not begun. When such a task is set aside it goes, and none comes for one that is only ready to go on.
// So something is enqueued then, by a thread of ours that is there for that alone: libtbb makes an arena for whoever enqueues.
//
//   nobody --call_worker()--> coming --a moment later--> looking --nobody called meanwhile--> nobody
//                               `-------call_worker()-------'
//
// A task that libtbb was told of could go on in the arena. If it did not after a moment, a worker is called. One that a worker ran
// has a thread of its own without us: for others none is called while the program's threads are in libtbb. They may be there, and
// what is to run one at a time would run beside the worker. Any thread.
void call_worker(Arena& arena, bool is_workers);
// One that goes on in such an arena may be the last that another one waits for, which libtbb itself then makes ready. Its worker is
// not to go before it has looked for such, once this one is over. Within a task.
void keep_worker();
// As call_worker, in each arena.
void call_workers();

// The program's threads in libtbb; without a preload that is not known.
extern std::atomic<int> threads_inside;

// The thread may have been another one's.
void calling_after_fork();

}  // namespace weir::tbb
