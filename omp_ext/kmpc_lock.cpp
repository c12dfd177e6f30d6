// SPDX-License-Identifier: Apache-2.0
// OpenMP's own locks: a task that holds one is not set aside. (As libomp's tool weir could hear of them too; but programs take them
// millions of times a second, and libomp's way to tell a tool is the slower one. Of gcc's sections it may hear twice; both counts go up and
// down together.)
#include "base/locks_held.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "omp_ext/lock_wait.h"
#include "omp_ext/loop_piece.h"
#include "omp_ext/next.h"
#include "omp_ext/seat.h"
#include "omp_ext/task_region.h"
#include "omp_ext/turns.h"

namespace weir::omp {
namespace {

constinit Next<void(Ident*, std::int32_t, void*)> next_critical{"__kmpc_critical"};
constinit Next<void(Ident*, std::int32_t, void*, std::uint32_t)> next_critical_with_hint{"__kmpc_critical_with_hint"};
constinit Next<void(Ident*, std::int32_t, void*)> next_end_critical{"__kmpc_end_critical"};
constinit Next<void(void*)> next_set_lock{"omp_set_lock"};
constinit Next<void(void*)> next_unset_lock{"omp_unset_lock"};
constinit Next<int(void*)> next_test_lock{"omp_test_lock"};
constinit Next<void(void*)> next_set_nest_lock{"omp_set_nest_lock"};
constinit Next<void(void*)> next_unset_nest_lock{"omp_unset_nest_lock"};
constinit Next<int(void*)> next_test_nest_lock{"omp_test_nest_lock"};
constinit Next<void(Ident*, std::int32_t)> next_ordered{"__kmpc_ordered"};
constinit Next<void(Ident*, std::int32_t)> next_end_ordered{"__kmpc_end_ordered"};
constinit Next<void()> next_gomp_ordered_start{"GOMP_ordered_start"};
constinit Next<void()> next_gomp_ordered_end{"GOMP_ordered_end"};
constinit Next<void()> next_gomp_critical_start{"GOMP_critical_start"};
constinit Next<void()> next_gomp_critical_end{"GOMP_critical_end"};
constinit Next<void(void**)> next_gomp_critical_name_start{"GOMP_critical_name_start"};
constinit Next<void(void**)> next_gomp_critical_name_end{"GOMP_critical_name_end"};

// Plain: another task on this thread that asks for it waits, by await() or wait_for_lock(). Of the others the thread that has one may
// have it once more, or they know it by its turn.
enum class Lock { plain, of_thread };

void taken(Lock kind) { base::took_lock(kind == Lock::plain); }
void given(Lock kind) {
  if (base::gave_lock(kind == Lock::plain) && in_wide_team()) gate::stand_back_where_crowded();
}

// test() takes the lock where it is free, and says so.
template <typename Set, typename Test>
void set(void* lock, Lock kind, Set& set, Test& test) {
  if (others_want_this_thread() || in_wide_team() || in_narrow_team()) {
    struct Asked {
      void* lock;
      Test& test;
    } asked{lock, test};
    wait_for_lock(lock, [](void* a) { return static_cast<Asked*>(a)->test(static_cast<Asked*>(a)->lock) != 0; }, &asked);
  } else {
    set(lock);
  }
  taken(kind);
}

template <typename Enter>
void enter(const void* name, Enter enter) {
  Critical* critical = Critical::of(name);
  if (critical) critical->await();
  enter();
  if (critical) critical->entered();
  taken(critical ? Lock::plain : Lock::of_thread);
}

template <typename Leave>
void leave(const void* name, Leave leave) {
  Critical* critical = Critical::of(name);
  if (critical) critical->leaves();
  leave();
  given(critical ? Lock::plain : Lock::of_thread);
}

// Its turn comes when those before it have had theirs, and those compute first. Counted before the core is taken back: who holds a lock
// does not wait for one.
template <typename Enter>
void enter_in_turn(Enter enter) {
  bool wide = in_wide_team();
  base::TeamSeat& seat = base::self_unsuspended().seat;
  if (wide) team::begins_to_wait_for_turn();
  if (team::takes_turns(seat)) team::await_turn(seat.turns);
  else if (wide && !team::is_inner(seat.team)) team::region_stays_narrow();
  enter();
  taken(Lock::of_thread);
  if (wide) gate::take_core();
}

template <typename Leave>
void leave_to_next(Leave leave) {
  leave();
  base::TeamSeat& seat = base::self_unsuspended().seat;
  if (team::takes_turns(seat)) team::had_turn(seat.turns);
  given(Lock::of_thread);
}

// As the run-times do themselves. Some do so by the name that a preload defines (Intel's): such a section would be entered here twice.
void enter_below(Ident* place, std::int32_t gtid, void* lock) {
  if (next_critical_with_hint.get()) next_critical_with_hint(place, gtid, lock, 0u);
  else next_critical(place, gtid, lock);
}

// libomp serves gcc's sections by a call of __kmpc_critical, by the same name, which comes by here too: not by the name
// that is waited for already.
constexpr char unnamed = 0;
const void* gomp_name(void** lock) { return reinterpret_cast<const char*>(lock) + 1; }

}  // namespace
}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void __kmpc_critical(Ident* place, std::int32_t gtid, void* lock) {
  enter(lock, [=] { enter_below(place, gtid_here(gtid), lock); });
}
WEIR_INTERPOSED void __kmpc_critical_with_hint(Ident* place, std::int32_t gtid, void* lock, std::uint32_t hint) {
  enter(lock, [=] { next_critical_with_hint(place, gtid_here(gtid), lock, hint); });
}
WEIR_INTERPOSED void __kmpc_end_critical(Ident* place, std::int32_t gtid, void* lock) {
  leave(lock, [=] { next_end_critical(place, gtid_here(gtid), lock); });
}

WEIR_INTERPOSED void __kmpc_ordered(Ident* place, std::int32_t gtid) {
  enter_in_turn([=] { next_ordered(place, gtid_here(gtid)); });
}
WEIR_INTERPOSED void __kmpc_end_ordered(Ident* place, std::int32_t gtid) {
  leave_to_next([=] { next_end_ordered(place, gtid_here(gtid)); });
}

WEIR_INTERPOSED void omp_set_lock(void* lock) {
  set(lock, Lock::plain, next_set_lock, next_test_lock);
}
WEIR_INTERPOSED void omp_unset_lock(void* lock) {
  next_unset_lock(lock);
  lock_given(lock);
  given(Lock::plain);
}
WEIR_INTERPOSED int omp_test_lock(void* lock) {
  int got = next_test_lock(lock);
  if (got) taken(Lock::plain);
  return got;
}
WEIR_INTERPOSED void omp_set_nest_lock(void* lock) {
  set(lock, Lock::of_thread, next_set_nest_lock, next_test_nest_lock);
}
WEIR_INTERPOSED void omp_unset_nest_lock(void* lock) {
  next_unset_nest_lock(lock);
  lock_given(lock);
  given(Lock::of_thread);
}
WEIR_INTERPOSED int omp_test_nest_lock(void* lock) {
  int depth = next_test_nest_lock(lock);
  if (depth) taken(Lock::of_thread);
  return depth;
}

// Fortran's.
WEIR_INTERPOSED void omp_set_lock_(void* lock) __attribute__((alias("omp_set_lock")));
WEIR_INTERPOSED void omp_unset_lock_(void* lock) __attribute__((alias("omp_unset_lock")));
WEIR_INTERPOSED int omp_test_lock_(void* lock) __attribute__((alias("omp_test_lock")));
WEIR_INTERPOSED void omp_set_nest_lock_(void* lock) __attribute__((alias("omp_set_nest_lock")));
WEIR_INTERPOSED void omp_unset_nest_lock_(void* lock) __attribute__((alias("omp_unset_nest_lock")));
WEIR_INTERPOSED int omp_test_nest_lock_(void* lock) __attribute__((alias("omp_test_nest_lock")));

WEIR_INTERPOSED void GOMP_critical_start() {
  enter(&unnamed, [] { next_gomp_critical_start(); });
}
WEIR_INTERPOSED void GOMP_critical_end() {
  leave(&unnamed, [] { next_gomp_critical_end(); });
}
WEIR_INTERPOSED void GOMP_critical_name_start(void** lock) {
  enter(gomp_name(lock), [=] { next_gomp_critical_name_start(lock); });
}
WEIR_INTERPOSED void GOMP_critical_name_end(void** lock) {
  leave(gomp_name(lock), [=] { next_gomp_critical_name_end(lock); });
}

WEIR_INTERPOSED void GOMP_ordered_start() {
  enter_in_turn([] { next_gomp_ordered_start(); });
}
WEIR_INTERPOSED void GOMP_ordered_end() {
  leave_to_next([] { next_gomp_ordered_end(); });
}
