// SPDX-License-Identifier: Apache-2.0
// Waits for another thread: joins, conditions, semaphores, barriers. A thread that computes by a core slot gives it to a
// stand-in meanwhile; nothing else changes, and whoever has no slot to give waits as without weir: the tasking run-times'
// own idle threads above all.
// A condition, a semaphore or a join is waited for by slices where need be.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include <algorithm>

#include "gate/gate.h"
#include "intercept/c11.h"
#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/undisturbed.h"
#include "intercept/waiting.h"
#include "lane/runtime_code.h"

namespace weir::intercept {

namespace {

WEIR_REAL Real<int(pthread_t, void**)> real_join{"pthread_join"};
WEIR_REAL Real<int(pthread_t, void**, const timespec*)> real_timedjoin{"pthread_timedjoin_np"};
WEIR_REAL Real<int(pthread_t, void**, clockid_t, const timespec*)> real_clockjoin{"pthread_clockjoin_np"};
WEIR_REAL Real<int(thrd_t, int*)> real_c11_join{"thrd_join"};

WEIR_REAL Real<int(pthread_cond_t*, pthread_mutex_t*)> real_cond{"pthread_cond_wait"};
WEIR_REAL Real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_timedcond{"pthread_cond_timedwait"};
WEIR_REAL Real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> real_clockcond{
    "pthread_cond_clockwait"};
WEIR_REAL Real<int(cnd_t*, mtx_t*)> real_c11_cond{"cnd_wait"};
WEIR_REAL Real<int(cnd_t*, mtx_t*, const timespec*)> real_c11_timedcond{"cnd_timedwait"};

WEIR_REAL Real<int(sem_t*)> real_sem{"sem_wait"};
WEIR_REAL Real<int(sem_t*, const timespec*)> real_timedsem{"sem_timedwait"};
WEIR_REAL Real<int(sem_t*, clockid_t, const timespec*)> real_clocksem{"sem_clockwait"};
WEIR_REAL Real<int(pthread_barrier_t*)> real_barrier{"pthread_barrier_wait"};

// Tasks of oneTBB's that stood back all come for its few threads, and one of them that is ready for more than a look has to wait for the
// others' looks.
std::int64_t shared_slice(std::int64_t ns) { return base::self().omp ? ns : wait::look_order.share_of(ns, first_slice_ns); }

// A program may not look for what it was woken by, once it is: where others most likely go on elsewhere it is seldom woken for nothing.
std::int64_t slice_of_condition() { return shared_slice((base::self().omp ? 1 : 5) * slice_ns); }

// One slice: whatever was signalled after it, nobody hears, so the caller is to look at what it waits for again. (POSIX:
// a condition's wait may end for no reason.)
int condition_slice(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until,
                    meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  const std::int64_t began = base::now_ns();
  Slice slice(clock, until, slice_of_condition());
  int error = parked([&] { return real_clockcond(c, m, clock, &slice.end); }, caller);
  if (error != ETIMEDOUT || (slice.last && !is_time(slice.end))) return error;
  if (pthread_mutex_unlock(m)) return slice.last ? error : 0;
  if (slice.last) path::waited_in_row(began);
  else path::stand_back_in_row(began);
  int locked = pthread_mutex_lock(m);
  return locked || !slice.last ? locked : error;
}

int semaphore_wait(sem_t* s, clockid_t clock, const timespec* until,
                   meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  const std::int64_t since = base::now_ns();
  int before = current_errno();
  Handlers handlers;
  for (std::int64_t ns = first_slice_ns;; ns = std::min(2 * ns, shared_slice(slice_ns))) {
    Slice slice(clock, until, ns);
    int result = parked_with_errno([&] { return real_clocksem(s, clock, &slice.end); }, caller);
    if (!result) set_errno(before);  // not that of an earlier slice
    if (!result) return result;
    int error = current_errno();
    if (slice.last) {
      if (error == ETIMEDOUT) path::waited_in_row(since), set_errno(error);
      return result;
    }
    if (error != ETIMEDOUT && error != EINTR) return result;
    if (error == EINTR && handlers.end_wait(until)) return result;  // else a signal of weir's own
    path::stand_back_in_row(since);
    if (!handlers.end_wait(until)) continue;
    set_errno(EINTR);
    return -1;
  }
}

int join(pthread_t t, void** value, clockid_t clock, const timespec* until,
         meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  const std::int64_t since = base::now_ns();
  while (true) {
    Slice slice(clock, until);
    int error = parked([&] { return real_clockjoin(t, value, clock, &slice.end); }, caller);
    if (error == ETIMEDOUT && slice.last) path::waited_in_row(since);
    if (error != ETIMEDOUT || slice.last) return error;
    path::stand_back_in_row(since);
  }
}

// By which clock a condition's limit is meant stands in the condition, where only libc looks. Uptimes and dates lie
// decades apart.
clockid_t likely_clock(const timespec& until) {
  constexpr time_t year_2001 = 1'000'000'000;
  return until.tv_sec >= year_2001 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int pthread_join(pthread_t t, void** value) {
  const void* caller = __builtin_return_address(0);
  if (others_may_be_waited_for(caller)) return join(t, value, CLOCK_MONOTONIC, nullptr);
  // A run-time ends its workers one after the other. The later ones look for work meanwhile with their cores held, and the
  // first may wait for one to end with.
  if (!lane::is_tasking_code(caller)) return parked([=] { return real_join(t, value); });
  gate::the_gate.cores.open();
  int error = parked([=] { return real_join(t, value); });
  gate::the_gate.cores.close();
  return error;
}
int pthread_timedjoin_np(pthread_t t, void** value, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return join(t, value, CLOCK_REALTIME, until);
  return parked([=] { return real_timedjoin(t, value, until); });
}
int pthread_clockjoin_np(pthread_t t, void** value, clockid_t clock, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return join(t, value, clock, until);
  return parked([=] { return real_clockjoin(t, value, clock, until); });
}
int thrd_join(thrd_t t, int* value) {
  if (others_may_be_waited_for(__builtin_return_address(0))) {
    void* result = nullptr;
    int error = join(t, &result, CLOCK_MONOTONIC, nullptr);
    if (!error && value) *value = static_cast<int>(reinterpret_cast<std::intptr_t>(result));
    return c11(error);
  }
  return parked([=] { return real_c11_join(t, value); });
}

// They come back with the mutex locked; the gate makes no thread wait that holds a lock.
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return condition_slice(c, m, CLOCK_MONOTONIC, nullptr);
  return parked([=] { return real_cond(c, m); });
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return condition_slice(c, m, likely_clock(*until), until);
  return parked([=] { return real_timedcond(c, m, until); });
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return condition_slice(c, m, clock, until);
  return parked([=] { return real_clockcond(c, m, clock, until); });
}
int cnd_wait(cnd_t* c, mtx_t* m) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return c11(condition_slice(posix(c), posix(m), CLOCK_MONOTONIC, nullptr));
  return parked([=] { return real_c11_cond(c, m); });
}
int cnd_timedwait(cnd_t* c, mtx_t* m, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return c11(condition_slice(posix(c), posix(m), CLOCK_REALTIME, until));
  return parked([=] { return real_c11_timedcond(c, m, until); });
}

// -1 with errno set, by libc.
int sem_wait(sem_t* s) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return semaphore_wait(s, CLOCK_MONOTONIC, nullptr);
  return parked_with_errno([=] { return real_sem(s); });
}
int sem_timedwait(sem_t* s, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return semaphore_wait(s, CLOCK_REALTIME, until);
  return parked_with_errno([=] { return undisturbed([=](bool) { return real_timedsem(s, until); }); });
}
int sem_clockwait(sem_t* s, clockid_t clock, const timespec* until) {
  if (others_may_be_waited_for(__builtin_return_address(0)))
    return semaphore_wait(s, clock, until);
  return parked_with_errno([=] { return undisturbed([=](bool) { return real_clocksem(s, clock, until); }); });
}

// It has no time limit to slice it by: another thread waits in this one's place. Where there is none, a task that is ready on this
// thread, and is waited for here, interrupts it.
int pthread_barrier_wait(pthread_barrier_t* b) noexcept {
  if (!others_may_be_waited_for(__builtin_return_address(0))) return parked([=] { return real_barrier(b); });
  path::Call call{path::Family::direct};
  call.ends = wait::Ends::never;
  call.arguments = b;
  call.real = [](path::Call& c) {
    return static_cast<Result>(real_barrier(static_cast<pthread_barrier_t*>(const_cast<void*>(c.arguments))));
  };
  if (Result value; path::made_beside(call, &value)) {
    path::count_in(0);
    return static_cast<int>(value);
  }
  base::self().waits_openly = true;
  int result = parked([=] { return real_barrier(b); });
  base::self().waits_openly = false;
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
