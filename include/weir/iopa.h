/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Many files, one function, and as many threads as the device bears: the interface of IOPA (Liu, Liu, Qian, Qian: "I/O-aware
 * parallelism adaption", PLoS ONE 12(3), 2017), with weir's controller or the published one behind it.
 *
 *   IOPA_Init(NULL);
 *   IOPA_CreateThreads(work, NULL, names, count);   // void *work(void *arg) {
 *   IOPA_WaitComplete();                            //   for (const char *f; (f = IOPA_NextFile());) { read f ... }
 *   IOPA_Close();                                   //   return NULL; }
 *
 * Every call returns 0 or -errno; errno is left alone. There is one pool a process. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  IOPA_ALGORITHM_WEIR = 0,     /* paired measurements: docs/controller.md */
  IOPA_ALGORITHM_PUBLISHED = 1 /* as in the paper */
};

/* What the controller decided: passed to the callback whenever the number of threads or the reason changes. */
typedef struct IOPA_Decision {
  double time_s;        /* since IOPA_CreateThreads */
  int threads;          /* wanted from now on */
  int running;          /* running now */
  const char *state;    /* "fast", "normal", "hold" or "relocate" */
  const char *reason;
  double bytes_per_s;   /* since the last sample */
} IOPA_Decision;

/* Fields that are 0 have their defaults: zero it, set `size`, then what you want. */
typedef struct IOPA_Config {
  size_t size;                 /* sizeof(IOPA_Config): later versions may add fields at the end */
  int algorithm;               /* IOPA_ALGORITHM_ */
  int cores;                   /* 0: those this process may use. This and each number of threads: at most 65536 */
  int min_threads;             /* 0: 1 */
  int max_threads;             /* 0: 128 */
  /* The paper's parameters, for IOPA_ALGORITHM_PUBLISHED. */
  int init_thread_num;         /* 0: 30 % of the cores */
  int fastmode_thread_num;     /* 0: 90 % of the cores */
  double increase_threshold;   /* 0: 1.01. A cycle's throughput over that of the cycles before: above, add threads */
  double decrease_threshold;   /* 0: 0.95. Below, take one away and hold */
  double fast_cycle_s;         /* 0: 5 */
  double normal_cycle_s;       /* 0: 10 */
  double hold_cycle_s;         /* 0: 30 */
  int previous_average_num;    /* 0: 3; at most 16 */
  /* Called on the controller's thread; calls no IOPA function. NULL: none. */
  void (*on_decision)(const IOPA_Decision *decision, void *user);
  void *user;
} IOPA_Config;

typedef void *(*IOPA_ThreadFn)(void *arg);

/* Starts nothing yet. `config` is copied; NULL: defaults. -EALREADY: after IOPA_Init and before IOPA_Close. -EINVAL: a size,
 * algorithm or number that is none. */
int IOPA_Init(const IOPA_Config *config);

/* Runs fn(arg) in as many threads as the controller wants at any time, and returns at once. `files` and what it points to
 * belong to the pool until IOPA_WaitComplete() returned. What fn returns is ignored. No exception may leave it: that ends the
 * process.
 * -EPERM: before IOPA_Init. -EINVAL: fn, files or one of them is NULL, or count 0. -EBUSY: the files of the last call are
 * not done (also from within fn). -EAGAIN or -ENOMEM: not one thread could be started; no file was handed out. */
int IOPA_CreateThreads(IOPA_ThreadFn fn, void *arg, const char *const *files, size_t count);

/* For fn alone: the next file, which no other thread gets; the one before is done then. NULL: none is left, or this thread
 * shall retire; fn returns. Outside of fn: NULL, always. */
const char *IOPA_NextFile(void);

/* Waits until every file is done and every thread has ended. 0, also where there is nothing to wait for. -EPERM: before
 * IOPA_Init. -EDEADLK: from within fn. -ECANCELED: fn returned in every thread without taking a file, and some are left. */
int IOPA_WaitComplete(void);

/* Ends what IOPA_Init began; IOPA_Init may follow. -EPERM: before IOPA_Init. -EDEADLK: from within fn. -EBUSY: threads
 * still run: IOPA_WaitComplete() first. */
int IOPA_Close(void);

#ifdef __cplusplus
}
#endif
