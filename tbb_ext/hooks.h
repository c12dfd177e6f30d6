/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/* What the two halves of tbb_ext know of each other. The machine is part of libweir_preload.so and stands between libtbb
 * and libc; the adapter, libweir_tbb.so, is written with oneTBB's headers and comes when libtbb is there. */

#ifdef __cplusplus
extern "C" {
#endif

/* The place bit of threads that run, or wait for, TBB tasks: base::in_tbb_arena. */
#define WEIR_TBB_PLACE 4u
/* And of threads in a weir::io_arena, as its observer says; with or without the preload. */
#define WEIR_TBB_IO_PLACE 16u

#define WEIR_TBB_NO_NUMBER ((uint16_t)-1)

typedef void (*weir_tbb_entry)(void *, void *, void *, void *);

typedef struct weir_tbb_machine {
  int64_t cores;       /* how many may compute at once */
  int64_t processors;  /* what libtbb was told; == cores: the truth, and there are no stand-ins */
  /* libtbb's execution_slot, past our own that takes it for the program's. */
  uint16_t (*execution_slot)(const void *);
  /* Likewise, past our own that tells the program what it would be without us. */
  int (*max_concurrency)(const void *);
  int guards_are_free; /* a stack's guard pages cost no mapping of their own */
  /* Where addresses are limited, else null. libtbb may need one stack more for the calling thread, whose task is about to be set
   * aside: is one to be had? Then: it has what it needs. */
  int (*stack_expected)(void);
  void (*stack_came)(void);
  /* Does one task at a time run where the calling thread is, an arena made of so many slots, as the program wants it? Then none is
   * set aside. */
  int (*one_at_a_time)(int slots);
  /* Does the calling task keep an address that is its thread's, as errno's? Then it is to go on there, and is not set aside. */
  int (*keeps_errno)(void);
  /* Has the calling task begun an OpenMP region, or was libtbb entered from a task of OpenMP's? What its run-time keeps of both is
   * the thread's. */
  int (*in_openmp_too)(void);
  /* Does the calling thread hold a lock? Then it waits for nothing that a task of its arena is to give back. */
  int (*holds_lock)(void);
  /* The calling thread, none of libtbb's own, is in libtbb from now on, where it may run tasks; and is no more. */
  void (*comes_inside)(void);
  void (*goes_outside)(void);
  /* The calling thread comes to compute, or goes. coming: does nothing when it holds a core already. */
  void (*coming)(void);
  void (*going)(void);
  /* A thread of the program comes into libtbb by a call that returns to `site`, and leaves it again; outermost calls. What
   * begins() gives is for ends(). */
  uint64_t (*begins)(const void *site);
  void (*ends)(const void *site, uint64_t begun);
  /* A call of a task waits: as many pieces of loops more are worth having. */
  void (*waited)(void);
  /* A task of the calling thread was set aside, before libtbb looks for another; it goes on; it is ready to, and libtbb knows. */
  void (*set_aside)(void);
  void (*goes_on)(void);
  void (*ready)(void);
  /* Does any thread compute that is in libtbb, but for the calling one? Looks at all that the process has. */
  int (*anybody_computes)(void);
  /* From now on there are, or are not, more threads than cores: those that come wait for a core. */
  void (*stand_ins)(int present);
  /* The process ends on this thread; before libtbb's destructors run. */
  void (*leaving)(void);
} weir_tbb_machine;

typedef struct weir_tbb_adapter {
  /* Calls entry(a, b, c, d), an entry point of libtbb in which the calling thread runs tasks or waits for them, for who
   * called it from `site`, and marks the thread while it lasts. Exceptions pass through. */
  void (*within)(const void *site, weir_tbb_entry entry, void *a, void *b, void *c, void *d);
  /* The same within a task. */
  void (*within_task)(weir_tbb_entry entry, void *a, void *b, void *c, void *d);
  /* The program makes a global_control of so many threads, and has destroyed one: what it allows has to be had. */
  void (*control_comes)(int64_t threads);
  void (*control_stands)(int64_t threads);  /* libtbb heeds it from now on */
  void (*control_went)(int64_t threads);
  int (*has_controls)(void);
  /* The program is to find no more threads than it was told: stand-ins go. */
  void (*no_stand_ins)(void);
  /* What it is told for the slot of the calling thread, in an arena of which it was told that it has `bound` of them; or none
   * is free, and one may be after await_number. The calling thread has no task: who has one may have its number. */
  uint16_t (*number_of)(uint16_t slot, int bound);
  void (*await_number)(void);
  void (*program_makes_observer)(void);
  void (*spare_number)(void);
  /* A call is about to block its thread, the `parked`th at the moment: at most `most` stand-ins may be worth it. Any thread. */
  void (*blocked)(int64_t parked, int64_t most);
  /* Likewise, but none other does, and it won't for long: not worth a stand-in. */
  void (*blocks_alone)(void);
  /* Tasks that could go on don't, since every thread is busy: one thread more, or one of ours in its place while need be. Takes
   * locks of libtbb's, makes threads. */
  void (*stalled)(void);
} weir_tbb_adapter;

/* Exported by libweir_tbb.so. Registers the runtime, once; NULL when this libtbb is not one it can serve. */
typedef const weir_tbb_adapter *(*weir_tbb_attach_fn)(const weir_tbb_machine *machine);
#define WEIR_TBB_ATTACH "weir_tbb_attach"

#ifdef __cplusplus
}
#endif
