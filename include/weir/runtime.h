/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a tasking runtime implements so that weir can set its tasks aside. One object a runtime, living for ever.
 *
 *            suspend(start, arg)                        waiter->wake(waiter), any thread, once
 *   running ---------------------> set aside, start() --------------------------------------> ready ---> running
 *
 * wake() may come before suspend() has finished setting the task aside, even from inside start(). */

#define WEIR_RUNTIME_VERSION 2u

typedef struct weir_waiter {
  /* Makes the task ready. Must not block, must not run the task here; after it returns the waiter may be gone. */
  void (*wake)(struct weir_waiter *self);
} weir_waiter;

/* Called by suspend(), exactly once, when `waiter` may be woken; on any stack of the calling thread.
 * It does not block and does not call back into the runtime (but through waiter->wake). */
typedef void (*weir_start_fn)(void *arg, weir_waiter *waiter);

enum {
  WEIR_REFUSED_NOT_A_TASK = 1, /* the caller does not stand in a task of this runtime */
  WEIR_REFUSED_CAP = 2,        /* as many are set aside as the runtime bears */
  WEIR_REFUSED_CONSTRUCT = 3,  /* this task can't be carried over a suspension */
  WEIR_REFUSED_NO_STACK = 4,   /* no memory for another stack */
  WEIR_REFUSED_FOREIGN_STACK = 5, /* the stack pointer is not within the task's stack */
  WEIR_REFUSED_NOW = 6,        /* not now: asked again, the answer may be another */
  WEIR_REFUSED_IN_ORDER = 7    /* one thread runs its tasks one after the other, and the program may count on that */
};

typedef struct weir_runtime {
  uint32_t version; /* WEIR_RUNTIME_VERSION */
  const char *name; /* "tbb", "omp", "pool" */

  /* May the code that calls, right here, be set aside? 0, or a WEIR_REFUSED_ reason. No side effect, no allocation. */
  int (*refuses)(void);

  /* Sets the calling task aside as drawn above and returns after the wake, perhaps on another thread. 0; or a
   * WEIR_REFUSED_ reason, in which case start was not called. */
  int (*suspend)(weir_start_fn start, void *arg);

  /* Goes on, on the thread with this kernel id, before it returns; 0, or a reason why that can't be. WEIR_REFUSED_NOW: that
   * thread did not come by soon, and may yet. The task may be set aside again meanwhile. Runtimes that never
   * move a task return 0. */
  int (*go_home)(int32_t tid);

  /* The calling code can't be set aside, and spins for what a task set aside may do: lets one that is ready go on here,
   * on top of it. 1 when one did. May be null: any thread of the runtime takes ready tasks. */
  int (*serve)(void);
} weir_runtime;

/* Makes `runtime` known to the engine in this process. At most 8; 0 or -errno. The bit (1, 2, 4 ...) by which the thread
 * record's place names the runtime is the runtime's own affair. */
int weir_runtime_register(const weir_runtime *runtime, uint32_t place_bits);

/* The calling thread entered, or left, a place where its calls are weir's business. What may stand in a place is said by
 * the bits given at registration. Costs a few instructions; takes effect for this thread alone. */
void weir_place_enter(uint32_t place_bit);
void weir_place_leave(uint32_t place_bit);

/* The calling thread wants to compute: takes a core slot, waiting a bounded time when all are taken, then goes on
 * without. Give it back before sleeping for lack of work. Both may be called in any state. */
void weir_core_take(void);
void weir_core_give(void);

/* The calling task waits, in a loop of its own and since then (CLOCK_MONOTONIC, in ns), for what another task is to do. If that
 * other one may be set aside, it lets others go on for a moment: 1, perhaps on another thread. 0: nothing was done, and nothing
 * is to be hoped for here; but with a lock held, later, as a last resort. */
int weir_stand_back(int64_t since_ns);

/* The value a setting has in this process ("WEIR_STAND_INS" ...) for numbers; -EINVAL for a name that is none. */
int64_t weir_setting_number(const char *variable);

#ifdef __cplusplus
}
#endif
