// SPDX-License-Identifier: Apache-2.0
// Locks of libc, counted while they are held: a task that holds one is not set aside for a call, since the next task on its
// thread could want the same lock. (Where the call waits long, and for that one it may be: where each of its locks is one for which
// that one would wait.) A condition's wait gives its mutex up and takes it again by itself: no business of
// ours. The count is a hint for the choice of a lane, so an unlock by another thread than the locker's may not make it
// negative.
#include <cerrno>

#include <pthread.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

#include "base/locks_held.h"
#include "base/thread.h"
#include "intercept/c11.h"
#include "intercept/real.h"
#include "intercept/slices.h"

namespace weir::intercept {
namespace {

using Mutex = pthread_mutex_t;
using Rwlock = pthread_rwlock_t;
using Spinlock = pthread_spinlock_t;

WEIR_REAL Real<int(Mutex*)> mutex_lock{"pthread_mutex_lock"};
WEIR_REAL Real<int(Mutex*)> mutex_trylock{"pthread_mutex_trylock"};
WEIR_REAL Real<int(Mutex*, const timespec*)> mutex_timedlock{"pthread_mutex_timedlock"};
WEIR_REAL Real<int(Mutex*, clockid_t, const timespec*)> mutex_clocklock{"pthread_mutex_clocklock"};
WEIR_REAL Real<int(Mutex*)> mutex_unlock{"pthread_mutex_unlock"};

WEIR_REAL Real<int(Rwlock*)> rwlock_rdlock{"pthread_rwlock_rdlock"};
WEIR_REAL Real<int(Rwlock*)> rwlock_tryrdlock{"pthread_rwlock_tryrdlock"};
WEIR_REAL Real<int(Rwlock*, const timespec*)> rwlock_timedrdlock{"pthread_rwlock_timedrdlock"};
WEIR_REAL Real<int(Rwlock*, clockid_t, const timespec*)> rwlock_clockrdlock{"pthread_rwlock_clockrdlock"};
WEIR_REAL Real<int(Rwlock*)> rwlock_wrlock{"pthread_rwlock_wrlock"};
WEIR_REAL Real<int(Rwlock*)> rwlock_trywrlock{"pthread_rwlock_trywrlock"};
WEIR_REAL Real<int(Rwlock*, const timespec*)> rwlock_timedwrlock{"pthread_rwlock_timedwrlock"};
WEIR_REAL Real<int(Rwlock*, clockid_t, const timespec*)> rwlock_clockwrlock{"pthread_rwlock_clockwrlock"};
WEIR_REAL Real<int(Rwlock*)> rwlock_unlock{"pthread_rwlock_unlock"};

WEIR_REAL Real<int(Spinlock*)> spin_lock{"pthread_spin_lock"};
WEIR_REAL Real<int(Spinlock*)> spin_trylock{"pthread_spin_trylock"};
WEIR_REAL Real<int(Spinlock*)> spin_unlock{"pthread_spin_unlock"};

WEIR_REAL Real<int(mtx_t*)> c11_lock{"mtx_lock"};
WEIR_REAL Real<int(mtx_t*)> c11_trylock{"mtx_trylock"};
WEIR_REAL Real<int(mtx_t*, const timespec*)> c11_timedlock{"mtx_timedlock"};
WEIR_REAL Real<int(mtx_t*)> c11_unlock{"mtx_unlock"};

WEIR_REAL Real<void(FILE*)> file_lock{"flockfile"};
WEIR_REAL Real<int(FILE*)> file_trylock{"ftrylockfile"};
WEIR_REAL Real<void(FILE*)> file_unlock{"funlockfile"};

WEIR_REAL Real<int(pthread_once_t*, void (*)())> posix_once{"pthread_once"};
WEIR_REAL Real<void(once_flag*, void (*)())> c11_once{"call_once"};

// A lock that knows no thread: whoever asks for it waits, even where it was taken by another task on the thread. The holder of others is
// told that it has it, or may have it again; and who spins in libc makes no way.
inline bool is_plain(const Mutex* m) {
  const int kind = m->__data.__kind;
  return kind == PTHREAD_MUTEX_TIMED_NP || kind == PTHREAD_MUTEX_ADAPTIVE_NP;
}
inline bool is_plain(const mtx_t* m) { return is_plain(reinterpret_cast<const Mutex*>(m)); }
template <typename Lock>
inline bool is_plain(const Lock*) {
  return false;
}

// 0 is success for all of them; a robust mutex whose owner died is locked too.
template <typename Lock>
int took(const Lock* l, int error) {
  if (!error || error == EOWNERDEAD) base::took_lock(is_plain(l));
  return error;
}

// A lock whose holder waits for its children, of which one may have been set aside here. EINVAL: a kind of lock that can't
// be waited for by that clock.
template <typename Lock>
using LimitedLock = Real<int(Lock*, clockid_t, const timespec*)>;

template <typename Lock>
int by_slices(Lock* lock, const LimitedLock<Lock>& limited, clockid_t clock, const timespec* until) {
  const std::int64_t began = base::now_ns();
  while (true) {
    Slice slice(clock, until);
    int error = limited(lock, clock, &slice.end);
    if (error == ETIMEDOUT && slice.last) path::waited_in_row(began);
    if (error != ETIMEDOUT || slice.last) return error;
    path::stand_back_in_row(began);
  }
}

template <typename Lock>
[[gnu::noinline]] int lock_in_team(Lock* l, const Real<int(Lock*)>& plain, const Real<int(Lock*)>& attempt,
                                   const LimitedLock<Lock>& limited, const void* caller) {
  int error = attempt(l);
  if (error != EBUSY) return took(l, error);
  if (others_may_be_waited_for(caller)) error = by_slices(l, limited, CLOCK_MONOTONIC, nullptr);
  return took(l, error == EBUSY || error == EINVAL ? plain(l) : error);
}

// One that a task of oneTBB's holds that is aside: where all threads waited for it, none would be left for that task.
inline bool wants_one_that_is_aside(const base::Thread& thread) {
  return path::aside_with_locks.load(std::memory_order_relaxed) > 0 && (thread.place & base::in_tbb_arena);
}

inline bool may_make_way(const base::Thread& thread) {
  return thread.lock_depth <= 0 || path::may_make_way_with_locks(thread);
}

// Most locks of most programs need no more than libc's and the count. All else is out of line, and costs them no registers.
template <typename Lock>
[[gnu::noinline]] int lock_elsewhere(Lock* l, const Real<int(Lock*)>& plain, const Real<int(Lock*)>& attempt,
                                     const LimitedLock<Lock>& limited, const void* caller) {
  const base::Thread& thread = base::self_unsuspended();
  const bool is_sliced = (thread.omp || wants_one_that_is_aside(thread)) && may_make_way(thread);
  if (is_sliced) return lock_in_team(l, plain, attempt, limited, caller);
  return took(l, plain(l));
}

template <typename Lock>
[[gnu::always_inline]] inline int lock(Lock* l, const Real<int(Lock*)>& plain, const Real<int(Lock*)>& attempt,
                                       const LimitedLock<Lock>& limited) {
  const auto libc = plain.known();
  const base::Thread& thread = base::self_unsuspended();
  if (!libc || thread.omp || wants_one_that_is_aside(thread)) [[unlikely]]
    return lock_elsewhere(l, plain, attempt, limited, __builtin_return_address(0));
  int error = libc(l);
  if (error) [[unlikely]] return took(l, error);
  base::took_lock(is_plain(l));
  return 0;
}

// The same with a limit of the program's own. `whole`: libc's, where it need not be cut into slices.
template <typename Lock, typename Whole>
int lock_until(Lock* l, const LimitedLock<Lock>& limited, clockid_t clock, const timespec* until, const void* caller, Whole whole) {
  const base::Thread& thread = base::self_unsuspended();
  bool in_slices = thread.omp && may_make_way(thread) && others_may_be_waited_for(caller);
  return took(l, in_slices ? by_slices(l, limited, clock, until) : whole());
}

// (What it is, is asked before: afterwards there may be no such lock any more.)
template <typename Lock>
[[gnu::noinline]] int unlock_elsewhere(Lock* l, const Real<int(Lock*)>& plain) {
  const bool was_plain = is_plain(l);
  const int error = plain(l);
  if (!error) base::gave_lock(was_plain);
  return error;
}

template <typename Lock>
[[gnu::always_inline]] inline int unlock(Lock* l, const Real<int(Lock*)>& plain) {
  const auto libc = plain.known();
  if (!libc) [[unlikely]] return unlock_elsewhere(l, plain);
  const bool was_plain = is_plain(l);
  const int error = libc(l);
  if (!error) [[likely]] base::gave_lock(was_plain);
  return error;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_lock(Mutex* m) noexcept { return lock(m, mutex_lock, mutex_trylock, mutex_clocklock); }
int pthread_mutex_trylock(Mutex* m) noexcept { return took(m, mutex_trylock(m)); }
int pthread_mutex_timedlock(Mutex* m, const timespec* until) noexcept {
  return lock_until(m, mutex_clocklock, CLOCK_REALTIME, until, __builtin_return_address(0), [=] { return mutex_timedlock(m, until); });
}
int pthread_mutex_clocklock(Mutex* m, clockid_t clock, const timespec* until) noexcept {
  return lock_until(m, mutex_clocklock, clock, until, __builtin_return_address(0), [=] { return mutex_clocklock(m, clock, until); });
}
int pthread_mutex_unlock(Mutex* m) noexcept { return unlock(m, mutex_unlock); }

int pthread_rwlock_rdlock(Rwlock* l) noexcept {
  return lock(l, rwlock_rdlock, rwlock_tryrdlock, rwlock_clockrdlock);
}
int pthread_rwlock_tryrdlock(Rwlock* l) noexcept { return took(l, rwlock_tryrdlock(l)); }
int pthread_rwlock_timedrdlock(Rwlock* l, const timespec* until) noexcept {
  return lock_until(l, rwlock_clockrdlock, CLOCK_REALTIME, until, __builtin_return_address(0),
                    [=] { return rwlock_timedrdlock(l, until); });
}
int pthread_rwlock_clockrdlock(Rwlock* l, clockid_t clock, const timespec* until) noexcept {
  return lock_until(l, rwlock_clockrdlock, clock, until, __builtin_return_address(0),
                    [=] { return rwlock_clockrdlock(l, clock, until); });
}
int pthread_rwlock_wrlock(Rwlock* l) noexcept {
  return lock(l, rwlock_wrlock, rwlock_trywrlock, rwlock_clockwrlock);
}
int pthread_rwlock_trywrlock(Rwlock* l) noexcept { return took(l, rwlock_trywrlock(l)); }
int pthread_rwlock_timedwrlock(Rwlock* l, const timespec* until) noexcept {
  return lock_until(l, rwlock_clockwrlock, CLOCK_REALTIME, until, __builtin_return_address(0),
                    [=] { return rwlock_timedwrlock(l, until); });
}
int pthread_rwlock_clockwrlock(Rwlock* l, clockid_t clock, const timespec* until) noexcept {
  return lock_until(l, rwlock_clockwrlock, clock, until, __builtin_return_address(0),
                    [=] { return rwlock_clockwrlock(l, clock, until); });
}
int pthread_rwlock_unlock(Rwlock* l) noexcept { return unlock(l, rwlock_unlock); }

int pthread_spin_lock(Spinlock* l) noexcept { return took(l, spin_lock(l)); }
int pthread_spin_trylock(Spinlock* l) noexcept { return took(l, spin_trylock(l)); }
int pthread_spin_unlock(Spinlock* l) noexcept { return unlock(l, spin_unlock); }

int mtx_lock(mtx_t* m) {
  if (!base::self_unsuspended().omp) return took(m, c11_lock(m));
  return c11(lock_elsewhere(posix(m), mutex_lock, mutex_trylock, mutex_clocklock, __builtin_return_address(0)));
}
int mtx_trylock(mtx_t* m) { return took(m, c11_trylock(m)); }
int mtx_timedlock(mtx_t* m, const timespec* until) {
  if (!base::self_unsuspended().omp) return took(m, c11_timedlock(m, until));
  return c11(lock_until(posix(m), mutex_clocklock, CLOCK_REALTIME, until, __builtin_return_address(0),
                        [=] { return mutex_timedlock(posix(m), until); }));
}
int mtx_unlock(mtx_t* m) { return unlock(m, c11_unlock); }

void flockfile(FILE* f) noexcept {
  file_lock(f);
  base::took_lock(false);
}
int ftrylockfile(FILE* f) noexcept { return took(f, file_trylock(f)); }
void funlockfile(FILE* f) noexcept {
  file_unlock(f);
  base::gave_lock(false);
}

// While the routine runs, whoever else asks for it waits. (One that ends by an exception leaves the count too high:
// this thread's calls park from then on, which is slower, not wrong.)
int pthread_once(pthread_once_t* once, void (*routine)()) {
  base::took_lock(false);
  int error = posix_once(once, routine);
  base::gave_lock(false);
  return error;
}
void call_once(once_flag* once, void (*routine)()) {
  base::took_lock(false);
  c11_once(once, routine);
  base::gave_lock(false);
}

void _IO_flockfile(FILE*) noexcept __attribute__((alias("flockfile")));
int _IO_ftrylockfile(FILE*) noexcept __attribute__((alias("ftrylockfile")));
void _IO_funlockfile(FILE*) noexcept __attribute__((alias("funlockfile")));

}  // extern "C"
#pragma GCC visibility pop
