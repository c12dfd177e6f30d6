// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/calling.h"

#include <oneapi/tbb/task_arena.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "tbb_ext/adapter/detached.h"

namespace weir::tbb {
namespace {

using Wants = Arena::Wants;

enum class Caller : int { nobody, coming, looking };
constinit std::atomic<Caller> caller{Caller::nobody};

// Past libc's names, which are the program's calls here.
void wait_a_moment() {
  timespec time{0, 200'000};
  syscall(SYS_nanosleep, &time, nullptr);
}

// Refers to an arena, and does not hold it.
struct Named : ::tbb::task_arena {
  explicit Named(void* arena) { my_arena.store(static_cast<::tbb::detail::r1::arena*>(arena)); }
};

// A thread of libtbb's looks for what is ready first, and for what was enqueued only then: a worker stays until it has done so.
// `arena`: nullptr for that of the calling thread.
void enqueue_nothing(Named* arena) { ::tbb::detail::d1::enqueue_impl([] {}, arena); }

void call(Arena& arena) {
  arena.turns.while_one_is_told([&arena] {
    Named named(arena.key.load());
    enqueue_nothing(&named);
  });
}

bool is_too_early(Arena& arena) {
  return arena.worker.load() == Wants::one_later && threads_inside.load() && arena.turns.any_is_told();
}

// Who wants one says so first, and then asks for us. True: it is too early for some.
bool call_wanted() {
  bool any_early = false;
  for (Arena& arena : all_arenas()) {
    if (arena.worker.load() == Wants::nothing) continue;
    if (is_too_early(arena)) any_early = true;
    else if (arena.worker.exchange(Wants::nothing) != Wants::nothing) call(arena);
  }
  return any_early;
}

void* calls(void*) {
  while (true) {
    wait_a_moment();
    caller.store(Caller::looking);
    bool again = call_wanted();
    Caller still = Caller::looking;
    if (!again && caller.compare_exchange_strong(still, Caller::nobody)) return nullptr;
  }
}

void send_caller() {
  if (caller.exchange(Caller::coming) != Caller::nobody) return;
  if (begin_detached(calls, nullptr)) return;
  caller.store(Caller::nobody);
  call_wanted();
}

}  // namespace

std::atomic<int> threads_inside{1};

void call_worker(Arena& arena, bool is_workers) {
  Wants nothing = Wants::nothing;
  if (is_workers) arena.worker.store(Wants::one_now);
  else arena.worker.compare_exchange_strong(nothing, Wants::one_later);
  send_caller();
}

void keep_worker() { enqueue_nothing(nullptr); }

void call_workers() {
  for (Arena& arena : all_arenas())
    if (arena.suspended.load()) call_worker(arena, false);
}

void calling_after_fork() {
  caller.store(Caller::nobody);
  for (Arena& arena : all_arenas()) arena.worker.store(Wants::nothing);
}

}  // namespace weir::tbb
