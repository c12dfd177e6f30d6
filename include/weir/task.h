/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Tasks on weir's own pool of workers, and how anything waits without costing a core: what future.hpp is made of, and
 * enough for a C program. As many workers serve as the process may use cores; the pool starts with the first task. Where all
 * of them block in the kernel, whatever for, and tasks are ready, others serve in their place, 256 in all at the most. */

#include <stdint.h>

#include "weir/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Embedded in what a task is about; the memory stays the caller's and must live until run() is called, which may end
 * it. */
typedef struct weir_task {
  struct weir_task *next; /* weir's, from weir_spawn until run */
  void (*run)(struct weir_task *self);
} weir_task;

/* run(task) will be called once, by a worker. From any thread. 0; -ENOMEM or -EAGAIN when no worker could be started,
 * then the task is still the caller's. */
int weir_spawn(weir_task *task);

/* Takes back the task that the calling worker spawned last, if no worker has it yet: 1, and the caller runs it itself;
 * else 0. */
int weir_unspawn(weir_task *task);

/* Waits until the waiter that start(arg, waiter) is given gets woken: the calling task is set aside where weir.h says that one is;
 * elsewhere the thread sleeps. May return on another thread. */
void weir_block(weir_start_fn start, void *arg);

/* Workers of the pool; starts it. */
int weir_pool_size(void);

#ifdef __cplusplus
}
#endif
