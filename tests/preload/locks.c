/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of every kind keep their results, and a call made while one is held is not set aside.
 * must count: lock_held suspended */
#include "case.h"

#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;
static int pipe_[2];

static void *try_all(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  say("mutex: trylock of a held one", pthread_mutex_trylock(&mutex));
  say("mutex: timedlock of a held one", pthread_mutex_timedlock(&mutex, &until));
  say("mutex: clocklock of a held one", pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &until));
  say("rwlock: tryrdlock of a written one", pthread_rwlock_tryrdlock(&rwlock));
  say("rwlock: trywrlock of a written one", pthread_rwlock_trywrlock(&rwlock));
  say("rwlock: timedrdlock", pthread_rwlock_timedrdlock(&rwlock, &until));
  say("rwlock: timedwrlock", pthread_rwlock_timedwrlock(&rwlock, &until));
  say("rwlock: clockrdlock", pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &until));
  say("rwlock: clockwrlock", pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &until));
  say("spin: trylock of a held one", pthread_spin_trylock(&spin));
  say("file: trylock of a held one", ftrylockfile(stdin));
  return unused;
}
static void *signal_late(void *unused) {
  nap_ms(20);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void *write_late(void *unused) {
  nap_ms(20);
  write(pipe_[1], "x", 1);
  return unused;
}
static void read_one(const char *what) {
  char c;
  pthread_t t = start(write_late, 0);
  say(what, read(pipe_[0], &c, 1));
  pthread_join(t, 0);
}
static void *die_holding(void *robust) {
  pthread_mutex_lock(robust);
  return 0;
}
static void once(void) { read_one("read in pthread_once"); }

int main(void) {
  pipe(pipe_);
  pthread_spin_init(&spin, 0);
  say("mutex: lock", pthread_mutex_lock(&mutex));
  say("rwlock: wrlock", pthread_rwlock_wrlock(&rwlock));
  say("spin: lock", pthread_spin_lock(&spin));
  flockfile(stdin);
  say("file: lock again", ftrylockfile(stdin));
  read_one("read with all held");
  pthread_join(start(try_all, 0), 0);
  funlockfile(stdin), funlockfile(stdin);
  say("spin: unlock", pthread_spin_unlock(&spin));
  say("rwlock: unlock", pthread_rwlock_unlock(&rwlock));
  say("mutex: unlock", pthread_mutex_unlock(&mutex));
  read_one("read with none held");

  say("rwlock: rdlock", pthread_rwlock_rdlock(&rwlock));
  say("rwlock: rdlock again", pthread_rwlock_tryrdlock(&rwlock));
  say("rwlock: trywrlock", pthread_rwlock_trywrlock(&rwlock));
  say("rwlock: unlock", pthread_rwlock_unlock(&rwlock));
  say("rwlock: unlock", pthread_rwlock_unlock(&rwlock));

  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t checked, robust;
  pthread_mutex_init(&checked, &kind);
  say("errorcheck: unlock of a free one", pthread_mutex_unlock(&checked));
  say("errorcheck: lock", pthread_mutex_lock(&checked));
  say("errorcheck: lock again", pthread_mutex_lock(&checked));
  say("errorcheck: unlock", pthread_mutex_unlock(&checked));
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &kind);
  pthread_join(start(die_holding, &robust), 0);
  say("robust: lock", pthread_mutex_lock(&robust));
  say("robust: consistent", pthread_mutex_consistent(&robust));
  say("robust: unlock", pthread_mutex_unlock(&robust));

  pthread_t t = start(signal_late, 0);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(t, 0);
  read_one("read after a condition");

  mtx_t m;
  mtx_init(&m, mtx_timed | mtx_recursive);
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  printf("mtx %d %d %d\n", mtx_lock(&m), mtx_trylock(&m), mtx_timedlock(&m, &until));
  printf("mtx %d %d %d\n", mtx_unlock(&m), mtx_unlock(&m), mtx_unlock(&m));
  pthread_once_t first = PTHREAD_ONCE_INIT;
  say("once", pthread_once(&first, once));
  say("once", pthread_once(&first, once));
  once_flag flag = ONCE_FLAG_INIT;
  call_once(&flag, once);
  call_once(&flag, once);
  read_one("read at the end");
  return 0;
}
