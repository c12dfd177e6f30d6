// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/idle.h"

#include <cstdlib>

#include "base/clock.h"
#include "base/settings.h"
#include "gate/gate.h"
#include "sys/futex.h"

namespace weir::omp {
namespace {

// libomp may queue a task without our seeing it (a dependence that is met): look again after so long.
constexpr std::int64_t longest_sleep_ns = 2 * base::ns_per_ms;
// libomp looks into the queue of one other thread at a time, taken by chance.
constexpr int looks_per_thread = 2;

bool shuffled() {
  static const bool wanted = [] {
    const char* words = std::getenv("WEIR_DEBUG");
    return words && base::lists(words, "shuffle");
  }();
  return wanted;
}

void fetch_woken(Member& member) {
  for (base::Link* link = member.woken.take_all(); link;) {
    base::Link* next = link->next;
    member.ready.push(link);
    link = next;
  }
}

std::uint32_t random_of(Worker& worker) {
  std::uint32_t x = worker.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return worker.random = x;
}

// For tests: any order is as good as another.
base::Link* pop_any(Member& member) {
  base::Queue rest;
  int count = 0;
  for (base::Link* link; (link = member.ready.pop());) {
    rest.push(link);
    ++count;
  }
  base::Link* chosen = nullptr;
  int at = count ? random_of(*member.worker) % count : 0;
  for (base::Link* link; (link = rest.pop()); --at) {
    if (!at) chosen = link;
    else member.ready.push(link);
  }
  return chosen;
}

// With a lock held in a wait here, another task might want it and never let the holder go on.
base::Link* pop_below(Member& member, const Task& top) {
  base::Queue rest;
  base::Link* chosen = nullptr;
  for (base::Link* link; (link = member.ready.pop());) {
    if (!chosen && descends(*Task::of_ready(link), top)) chosen = link;
    else rest.push(link);
  }
  member.ready = rest;
  return chosen;
}

bool any_ready(Member& member) {
  return !member.woken.empty() || (!member.ready.empty() && !member.only_below);
}

void sleep(Member& member, bool (*done)(void*), void* argument) {
  Worker& worker = *member.worker;
  Region& region = *member.region;
  std::uint32_t seen = worker.pokes.load(std::memory_order_seq_cst);
  region.sleepers.fetch_add(1, std::memory_order_seq_cst);
  worker.asleep.store(1, std::memory_order_seq_cst);
  if (!any_ready(member) && !done(argument) && !begin_one(member)) {
    bool had_core = base::self_unsuspended().holds_core;
    if (had_core) gate::give_core();
    sys::futex_wait(worker.pokes, seen, longest_sleep_ns);
    if (had_core) gate::take_core();
  }
  worker.asleep.store(0, std::memory_order_relaxed);
  region.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void Worker::poke() {
  pokes.fetch_add(1, std::memory_order_seq_cst);  // before the look at `asleep`: the sleeper does it the other way round
  if (asleep.load(std::memory_order_seq_cst)) sys::futex_wake(pokes);
}

bool go_on_with_one(Member& member) {
  if (member.ready.empty()) {
    if (member.woken.empty()) return false;
    fetch_woken(member);
  }
  base::Link* link;
  if (member.only_below) {
    fetch_woken(member);
    link = pop_below(member, *member.only_below);
  } else if (shuffled()) {
    fetch_woken(member);
    link = pop_any(member);
  } else {
    link = member.ready.pop();
  }
  if (!link) return false;
  resume(member, *Task::of_ready(link));
  return true;
}

namespace {

// A task goes on where it began. Tasks that block early begin so fast that one thread would take all, and have all their
// work when they go on. So who has many leaves the next one to a thread that sleeps and has few; but not again when
// that one, woken, took none.
bool leaves_it_to_another(Member& member) {
  constexpr std::int32_t ahead = 4;
  Region& region = *member.region;
  if (region.sleepers.load(std::memory_order_relaxed) == 0) return false;
  std::int32_t least = member.aside.load(std::memory_order_relaxed) - ahead;
  if (least < 0) return false;
  bool another = false;
  std::uint64_t begun = 0;
  for (Member* m = region.members.load(std::memory_order_acquire); m; m = m->next) {
    if (m == &member) continue;
    begun += m->begun.load(std::memory_order_relaxed);
    another |= m->worker->asleep.load(std::memory_order_relaxed) && m->aside.load(std::memory_order_relaxed) <= least;
  }
  if (!another || begun == member.begun_by_idle) return false;
  member.begun_by_idle = begun;
  rouse_one(region);
  return true;
}

}  // namespace

bool begin_one(Member& member) {
  if (leaves_it_to_another(member)) return false;
  Movable movable(member);
  std::uint64_t before = member.begun;
  int looks = looks_per_thread * member.region->threads.load(std::memory_order_relaxed);
  for (int i = 0; i < looks; ++i) {
    libomp().taskyield(nullptr, member.gtid, 0);
    if (member.begun != before) return true;
  }
  return false;
}

void work_until(Member& member, bool (*done)(void*), void* argument) {
  while (!done(argument)) {
    if (go_on_with_one(member) || begin_one(member)) continue;
    sleep(member, done, argument);
  }
}

namespace {

// Stands for the thread itself: it is poked where a task would be made ready.
struct SleepingThread : weir_waiter {
  explicit SleepingThread(Member& member) : worker(*member.worker) {
    wake = [](weir_waiter* self) {
      auto* sleeper = static_cast<SleepingThread*>(self);
      Worker& worker = sleeper->worker;
      sleeper->woken.store(true, std::memory_order_release);  // from here on the sleeper may be gone
      worker.poke();
    };
  }
  Worker& worker;
  std::atomic<bool> woken{false};
};

}  // namespace

void work_until_none(Member& member, Tally& tally) {
  SleepingThread me(member);
  if (!tally.wait(&me)) return;
  Task* only_below_before = member.only_below;
  bool locked = base::self_unsuspended().lock_depth > 0 && member.current->parent;
  if (locked) member.only_below = member.current;
  work_until(
      member, [](void* self) { return static_cast<SleepingThread*>(self)->woken.load(std::memory_order_acquire); },
      &me);
  tally.waited();
  member.only_below = only_below_before;
  if (locked && !only_below_before)
    for (base::Link* link; (link = member.postponed.pop());) member.ready.push(link);
}

void rouse_one(Region& region) {
  if (!region.sleepers.load(std::memory_order_relaxed)) return;
  for (Member* m = region.members.load(std::memory_order_acquire); m; m = m->next) {
    std::uint32_t one = 1;
    if (!m->worker->asleep.compare_exchange_strong(one, 0, std::memory_order_seq_cst)) continue;
    m->worker->pokes.fetch_add(1, std::memory_order_seq_cst);
    sys::futex_wake(m->worker->pokes);
    return;
  }
}

void rouse_all(Region& region) {
  for (Member* m = region.members.load(std::memory_order_acquire); m; m = m->next) m->worker->poke();
}

}  // namespace weir::omp
