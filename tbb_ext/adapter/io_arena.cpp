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

constexpr int most_arenas = 64;
std::atomic<Watch*> watches[most_arenas];

}  // namespace

struct Watch {
  explicit Watch(std::int64_t permits) : limit(permits) {}

  std::atomic<void*> arena{nullptr};  // its name, known when the first thread enters
  std::atomic<std::int64_t> calls{0}, in_flight{0}, peak{0}, bytes_in{0}, bytes_out{0}, failed{0};

  // Permits: a task that finds none is set aside, and takes over the one that is given back. Who can't be set aside takes none: its
  // thread may be what those that have them need.
  const std::int64_t limit;
  std::mutex mutex;
  std::int64_t held = 0;
  std::queue<weir_waiter*> waiting;

  Observer* observer = nullptr;

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

Watch* watch_of(const void* arena) {
  for (auto& place : watches) {
    Watch* watched = place.load(std::memory_order_acquire);
    if (watched && watched->arena.load(std::memory_order_relaxed) == arena) return watched;
  }
  return nullptr;
}

}  // namespace

WEIR_EXPORT Watch* watch(::tbb::task_arena& arena, std::int64_t permits) {
  weir_init(nullptr);
  tbb::register_runtime();
  auto* watched = new Watch(permits);
  for (auto& place : watches) {
    Watch* none = nullptr;
    if (place.compare_exchange_strong(none, watched)) break;
  }
  watched->observer = new Observer(arena, *watched);
  return watched;
}

WEIR_EXPORT void unwatch(Watch* watched) {
  delete watched->observer;
  for (auto& place : watches) {
    Watch* it = watched;
    if (place.compare_exchange_strong(it, nullptr)) break;
  }
  delete watched;
}

WEIR_EXPORT io_statistics statistics_of(const Watch* watched) {
  return {watched->calls, watched->in_flight, watched->peak, watched->bytes_in, watched->bytes_out, watched->failed};
}

WEIR_EXPORT Begun begin(int fd) {
  if (tbb::runtime.refuses() == WEIR_REFUSED_NOT_A_TASK) return {nullptr, false};
  Watch* watched = watch_of(tbb::name_of_arena_here());
  if (!watched) return {nullptr, false};
  weir_place_enter(WEIR_TBB_IO_PLACE);  // a task that was set aside may have left another io_arena on a thread that did not enter it
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
}

}  // namespace weir::tbb_detail

bool weir::tbb::is_io_arena(const void* name) { return tbb_detail::watch_of(name); }
