// SPDX-License-Identifier: Apache-2.0
// weir/tbb.hpp: which arena a call's task is in, what it may do there, and what it did.
#include "tbb_ext/adapter/io_arena.h"

#include <oneapi/tbb/task_scheduler_observer.h>
#include <sys/stat.h>

#include <mutex>
#include <queue>

#include "tbb_ext/adapter/arenas.h"
#include "tbb_ext/adapter/runtime.h"
#include "tbb_ext/hooks.h"
#include "weir/task.h"
#include "weir/tbb.hpp"

#define WEIR_EXPORT __attribute__((visibility("default")))

namespace weir::tbb_detail {

namespace {

// Marks the threads that are in an arena, and libtbb's own for good. A thread of the program may be in several at once.
class Observer : public ::tbb::task_scheduler_observer {
 public:
  Observer(::tbb::task_arena& arena, Watch& watched) : task_scheduler_observer(arena), watched_(watched) {
    observe(true);
  }
  ~Observer() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override;
  void on_scheduler_exit(bool is_worker) override;

 private:
  Watch& watched_;
};

void rise(std::atomic<std::int64_t>& peak, std::int64_t now) {
  std::int64_t before = peak.load(std::memory_order_relaxed);
  while (now > before && !peak.compare_exchange_weak(before, now, std::memory_order_relaxed)) {}
}

bool is_storage(int fd) {
  struct stat about;
  return fd >= 0 && !fstat(fd, &about) && (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode));
}

std::atomic<Watch*> watches{nullptr};  // all there ever were

}  // namespace

//        watch()            calls begin, and end; tasks may outlive their arena
//   free --------> 1, its owner's <-----------------------------------------> n --- the last goes ---> free
//
// None is deleted, so that whoever looks for an arena's may read the names of all. Free: no references.
struct Watch {
  Watch* next = nullptr;
  std::atomic<int> references{taken};
  static constexpr int taken = -1;  // by who makes it another arena's

  std::atomic<void*> arena{nullptr};  // its name, known when the first thread enters
  std::atomic<std::int64_t> calls{0}, in_flight{0}, peak{0}, bytes_in{0}, bytes_out{0}, failed{0};

  // Permits: a task that finds none is set aside, and takes over the one that is given back. Who can't be set aside takes none: its
  // thread may be what those that have them need.
  std::int64_t limit = 0;
  std::mutex mutex;
  std::int64_t held = 0;
  std::queue<weir_waiter*> waiting;

  Observer* observer = nullptr;  // under the mutex

  // Its owner's from now on.
  void begin_for(std::int64_t permits) {
    arena.store(nullptr);
    for (auto* count : {&calls, &in_flight, &peak, &bytes_in, &bytes_out, &failed}) count->store(0);
    limit = permits;
    references.store(1, std::memory_order_release);  // with refer()
  }
  bool refer() {
    int now = references.load(std::memory_order_relaxed);
    while (now > 0)
      if (references.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
    return false;
  }
  void let_go() { references.fetch_sub(1, std::memory_order_release); }  // with free_watch()

  bool acquire() {
    {
      std::lock_guard lock(mutex);
      if (held < limit) {
        ++held;
        return true;
      }
    }
    if (tbb::runtime.refuses()) return false;
    weir_block(waits_for_permit, this);
    return true;
  }
  static void waits_for_permit(void* watch, weir_waiter* waiter) {
    auto& self = *static_cast<Watch*>(watch);
    {
      std::lock_guard lock(self.mutex);
      if (self.held >= self.limit) return self.waiting.push(waiter);
      ++self.held;
    }
    waiter->wake(waiter);
  }
  void release() {
    weir_waiter* next;
    {
      std::lock_guard lock(mutex);
      if (waiting.empty()) return void(--held);
      next = waiting.front();
      waiting.pop();
    }
    next->wake(next);
  }
};

namespace {

thread_local int io_arenas_entered = 0;  // by a thread of the program

void Observer::on_scheduler_entry(bool is_worker) {
  if (!is_worker) ++io_arenas_entered;
  weir_place_enter(WEIR_TBB_IO_PLACE);
  if (!watched_.arena.load(std::memory_order_relaxed)) watched_.arena.store(tbb::name_of_arena_here());
}

void Observer::on_scheduler_exit(bool is_worker) {
  if (is_worker || --io_arenas_entered > 0) return;
  io_arenas_entered = 0;
  weir_place_leave(WEIR_TBB_IO_PLACE);
}

bool is_of(const Watch& watched, const void* arena) { return watched.arena.load(std::memory_order_relaxed) == arena; }

// With a reference; or null.
Watch* watch_of(const void* arena) {
  for (Watch* each = watches.load(std::memory_order_acquire); each; each = each->next) {
    if (!is_of(*each, arena) || !each->refer()) continue;
    if (is_of(*each, arena)) return each;
    each->let_go();
  }
  return nullptr;
}

Watch* free_watch() {
  for (Watch* each = watches.load(std::memory_order_acquire); each; each = each->next) {
    int none = 0;
    if (each->references.compare_exchange_strong(none, Watch::taken, std::memory_order_acquire)) return each;
  }
  auto* another = new Watch;
  another->next = watches.load(std::memory_order_relaxed);
  while (!watches.compare_exchange_weak(another->next, another, std::memory_order_release)) {}
  return another;
}

}  // namespace

WEIR_EXPORT void observe(Watch* watched, ::tbb::task_arena& arena) {
  std::lock_guard lock(watched->mutex);
  if (!watched->observer) watched->observer = new Observer(arena, *watched);
}

WEIR_EXPORT Watch* watch(::tbb::task_arena& arena, std::int64_t permits) {
  weir_init(nullptr);
  tbb::register_runtime();
  Watch* watched = free_watch();
  watched->begin_for(permits);
  observe(watched, arena);
  return watched;
}

WEIR_EXPORT void unwatch(Watch* watched) {
  delete watched->observer;
  watched->observer = nullptr;
  watched->let_go();
}

WEIR_EXPORT void observe_no_more(Watch* watched) {
  std::lock_guard lock(watched->mutex);
  delete watched->observer;
  watched->observer = nullptr;
  watched->arena.store(nullptr);
}

WEIR_EXPORT io_statistics statistics_of(const Watch* watched) {
  return {watched->calls, watched->in_flight, watched->peak, watched->bytes_in, watched->bytes_out, watched->failed};
}

WEIR_EXPORT Begun begin(int fd) {
  if (tbb::runtime.refuses() == WEIR_REFUSED_NOT_A_TASK) return {nullptr, false};
  Watch* watched = watch_of(tbb::name_of_arena_here());
  if (!watched) return {nullptr, false};
  weir_place_enter(WEIR_TBB_IO_PLACE);  // a task may enter another io_arena on one thread and leave it on this one
  bool locked = tbb::holds_lock && tbb::holds_lock();  // who has the permits may wait for that lock: it takes none
  bool permit = watched->limit > 0 && !locked && is_storage(fd) && watched->acquire();
  watched->calls.fetch_add(1, std::memory_order_relaxed);
  rise(watched->peak, watched->in_flight.fetch_add(1, std::memory_order_relaxed) + 1);
  return {watched, permit};
}

WEIR_EXPORT void end(Begun begun, Moves moves, ssize_t result) {
  Watch& watched = *begun.watched;
  watched.in_flight.fetch_sub(1, std::memory_order_relaxed);
  if (result < 0) watched.failed.fetch_add(1, std::memory_order_relaxed);
  else if (moves == Moves::in) watched.bytes_in.fetch_add(result, std::memory_order_relaxed);
  else if (moves == Moves::out) watched.bytes_out.fetch_add(result, std::memory_order_relaxed);
  if (begun.has_permit) watched.release();
  watched.let_go();
}

}  // namespace weir::tbb_detail

bool weir::tbb::is_io_arena(const void* name) {
  using namespace tbb_detail;
  for (Watch* each = watches.load(std::memory_order_acquire); each; each = each->next)
    if (is_of(*each, name) && each->references.load(std::memory_order_relaxed) > 0) return true;
  return false;
}
