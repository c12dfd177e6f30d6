// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/runtime.h"

#include <cxxabi.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tbb_ext/adapter/arenas.h"
#include "tbb_ext/adapter/attendant.h"
#include "tbb_ext/adapter/calling.h"
#include "tbb_ext/adapter/helping.h"
#include "tbb_ext/adapter/io_arena.h"
#include "tbb_ext/adapter/limit.h"
#include "tbb_ext/adapter/size.h"
#include "tbb_ext/hooks.h"

namespace weir::tbb {
namespace {

using SuspendPoint = ::tbb::task::suspend_point;

constexpr auto no_slot = static_cast<std::uint16_t>(-1);

// current_context() alone would make an arena for a thread that never saw libtbb; the index has no side effect.
int refuses() {
  if (execution_slot(nullptr) == no_slot) return WEIR_REFUSED_NOT_A_TASK;
  if (!::tbb::task::current_context()) return WEIR_REFUSED_NOT_A_TASK;
  bool is_made_for_waits = is_io_arena(name_of_arena_here());
  if (!is_made_for_waits && !one_at_a_time) return WEIR_REFUSED_NOT_A_TASK;  // no preload: only theirs
  ArenaSize size = size_here();
  if (!is_made_for_waits && one_at_a_time(size.slots)) return WEIR_REFUSED_IN_ORDER;
  Arena& arena = arena_here();
  if (is_full(arena)) return WEIR_REFUSED_CAP;
  if (size.is_without_workers() && is_shared(arena)) return WEIR_REFUSED_CAP;  // no worker could be called to it
  if (in_openmp_too && in_openmp_too()) return WEIR_REFUSED_CONSTRUCT;
  return keeps_errno && keeps_errno() ? WEIR_REFUSED_CONSTRUCT : 0;  // last: it reads the stack
}

// The first slot is for a thread of the program, in an arena that has one for such.
bool is_worker_here() { return execution_slot(nullptr) > 0; }

struct TaskWaiter : weir_waiter {
  Arena* arena;
  void* arena_name;
  Turns::Ready ready;
  bool in_turn = false;
  bool without_workers, is_workers;
};

void wake(weir_waiter* self) {
  auto& waiter = *static_cast<TaskWaiter*>(self);
  Arena& arena = *waiter.arena;
  bool without_workers = waiter.without_workers, is_workers = waiter.is_workers;  // the waiter may be gone when libtbb knows
  waiter.in_turn = keeps_turns(arena, waiter.arena_name);
  if (waiter.in_turn) arena.turns.add(waiter.ready);
  else ::tbb::task::resume(waiter.ready.point);
  if (without_workers || one_is_allowed()) call_worker(arena, is_workers);
  if (on_ready) on_ready();
}

int suspend(weir_start_fn start, void* argument) {
  if (stack_expected && !stack_expected()) return WEIR_REFUSED_CAP;
  Arena& arena = arena_here();
  void* name = name_of_arena_here();
  attend(arena, count_suspended(arena, 1));
  keep_door(arena, name);
  if (on_waiting) on_waiting();
  TaskWaiter waiter;
  waiter.wake = wake;
  waiter.arena = &arena;
  waiter.arena_name = name;
  waiter.without_workers = size_here().is_without_workers();
  waiter.is_workers = is_worker_here();
  ::tbb::task::suspend([&](SuspendPoint point) {
    if (stack_came) stack_came();
    waiter.ready.point = point;
    start(argument, &waiter);  // the wake may come before we return: libtbb sorts that out
    if (on_set_aside) on_set_aside();
  });
  if (waiter.in_turn) arena.turns.one_goes_on();
  if ((waiter.without_workers || one_is_allowed()) && is_worker_here()) keep_worker();
  if (on_going_on) on_going_on();
  std::int32_t left = count_suspended(arena, -1);
  one_came_back(arena, left);
  if (!left) close_door(arena);
  return 0;
}

// Through the kernel: compilers take it that a function stays on its thread.
[[gnu::noinline]] std::int32_t thread_here() { return static_cast<std::int32_t>(syscall(SYS_gettid)); }

// The C++ run time's record of this thread's exceptions, as the Itanium ABI has it.
struct Exceptions {
  void* caught;
  unsigned uncaught;
};
// Declared to be constant, so that a compiler asks once and keeps the address, even out of line: the asm says that it isn't.
[[gnu::noinline]] Exceptions& exceptions_here() {
  auto* here = reinterpret_cast<Exceptions*>(__cxxabiv1::__cxa_get_globals());
  asm volatile("" : "+r"(here));
  return *here;
}

void once_round() {
  Exceptions own = exceptions_here();
  exceptions_here() = {};
  ::tbb::task::suspend([](SuspendPoint point) { ::tbb::task::resume(point); });
  if (own.caught || own.uncaught) exceptions_here() = own;
}

// libtbb lets nobody say which thread resumes a task, so: again, some times, until it is the right one.
int go_home(std::int32_t tid) {
  constexpr int rounds = 8;
  for (int round = 0; thread_here() != tid; ++round) {
    if (round == rounds) return WEIR_REFUSED_NOW;
    once_round();
  }
  return 0;
}

}  // namespace

int (*stack_expected)() = nullptr;
int (*one_at_a_time)(int slots) = nullptr;
int (*keeps_errno)() = nullptr;
int (*in_openmp_too)() = nullptr;
int (*holds_lock)() = nullptr;
void (*stack_came)() = nullptr;
void (*on_waiting)() = nullptr;
void (*on_set_aside)() = nullptr;
void (*on_going_on)() = nullptr;
void (*on_ready)() = nullptr;

std::uint16_t (*execution_slot)(const void*) = [](const void*) {
  return ::tbb::detail::r1::execution_slot(nullptr);
};
int (*max_concurrency)(const void*) = [](const void*) { return ::tbb::detail::r1::max_concurrency(nullptr); };

const weir_runtime runtime = {WEIR_RUNTIME_VERSION, "tbb", refuses, suspend, go_home, nullptr};

void register_runtime() {
  static const int once = (pthread_atfork(nullptr, nullptr, [] { turns_after_fork(), calling_after_fork(); }),
                           weir_runtime_register(&runtime, WEIR_TBB_PLACE | WEIR_TBB_IO_PLACE));
  (void)once;
}

}  // namespace weir::tbb
