// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/idle.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/settings.h"
#include "base/spin.h"
#include "fiber/fiber.h"
#include "gate/gate.h"
#include "sys/futex.h"
#include "sys/idle.h"
#include "sys/wakes.h"
#include "wait/lane.h"

namespace weir::omp {
namespace {

// libomp may queue a task without our seeing it (a dependence that is met): look again after so long. Without a task at all,
// who makes one, or is the last to arrive, wakes the sleeper.
constexpr std::int64_t longest_sleep_ns = 2 * base::ns_per_ms;
constexpr std::int64_t longest_sleep_without_task_ns = 100 * base::ns_per_ms;
// libomp looks into the queue of one other thread at a time, taken by chance.
constexpr int looks_per_thread = 2;

bool shuffled() {
  static const bool wanted = [] {
    const char* words = std::getenv("WEIR_DEBUG");
    return words && base::lists(words, "shuffle");
  }();
  return wanted;
}

// These four under member.ready_lock.
void add_ready(Member& member, base::Link* link) {
  member.ready.push(link);
  member.ready_count.store(member.ready_count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

base::Link* pop_ready(Member& member) {
  base::Link* link = member.ready.pop();
  if (link) member.ready_count.store(member.ready_count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return link;
}

// Of hundreds that take turns, each has lost its place in the nearest caches by the time it goes on. The next one is fetched
// while this one runs, and of the one after what says where its stack lies.
void fetch_next(const Member& member) {
  base::Link* next = member.ready.first();
  if (!next) return;
  const Task& task = *Task::of_ready(next);
  fiber::fetch(&task, sizeof task);
  task.fiber.fetch();
  constexpr std::size_t before = sizeof task.fiber;  // it lies right before the link
  if (next->next) fiber::fetch(reinterpret_cast<const char*>(next->next) - before, before + sizeof(Task::Ready));
}

void fetch_woken(Member& member) {
  for (base::Link* link = member.woken.take_all(); link;) {
    base::Link* next = link->next;
    add_ready(member, link);
    link = next;
  }
}

// The first that fits; the others keep their order. Short where the very first does.
template <typename Fits>
base::Link* pop_if(Member& member, Fits fits) {
  base::Link* chosen = nullptr;
  const std::int32_t all = member.ready_count.load(std::memory_order_relaxed);
  for (std::int32_t left = all; left > 0; --left) {
    base::Link* link = pop_ready(member);
    if (chosen || !fits(*Task::of_ready(link))) add_ready(member, link);
    else if (left == all) return link;  // nothing was moved yet
    else chosen = link;
  }
  return chosen;
}

std::uint32_t random_of(Worker& worker) {
  std::uint32_t x = worker.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return worker.random = x;
}

bool any_ready(Member& member) {
  return !member.woken.empty() || (member.ready_count.load(std::memory_order_relaxed) && !member.only_below);
}

// Sleeps until poked, unless there is something to do after all.
template <typename Nothing>
void doze(Member& member, std::int64_t longest_ns, Nothing nothing_to_do) {
  Worker& worker = *member.worker;
  std::uint32_t seen = worker.pokes.load(std::memory_order_seq_cst);
  worker.asleep.store(1, std::memory_order_seq_cst);
  if (!any_ready(member) && nothing_to_do()) {
    sys::Idle idle;
    gate::without_core([&] { sys::futex_wait(worker.pokes, seen, longest_ns); });
  }
  worker.asleep.store(0, std::memory_order_relaxed);
}

bool none_is_aside(const Region& region) {
  for (Member* m = region.members.load(std::memory_order_acquire); m; m = m->next) {
    if (m->aside.load(std::memory_order_relaxed)) return false;
  }
  return true;
}

// Where tasks and loops are short and only compute, a thread waits for the slowest of its team for microseconds, thousands of times a
// second: to sleep, and be woken, would take as long as the work. libomp spins for 200 ms.
class Spinning {
 public:
  explicit Spinning(Member& member) : member_(member) {}

  void found_work() { end_ns_ = 0; }

  // Spins for a moment. False: no more of that.
  bool spin(bool (*done)(void*), void* argument) {
    constexpr std::int64_t longest_ns = 100 * base::ns_per_us;
    constexpr int spins = 64;
    std::int64_t now_ns = base::now_ns();
    if (!end_ns_) end_ns_ = may_spin() ? now_ns + longest_ns : now_ns;
    if (now_ns >= end_ns_ || gate::the_gate.cores.waiting() || !none_is_aside(*member_.region)) return false;
    for (int i = 0; i < spins && !done(argument) && !any_ready(member_); ++i) __builtin_ia32_pause();
    return true;
  }

 private:
  bool may_spin() const {
    return member_.region->threads.load(std::memory_order_relaxed) <= gate::the_gate.cores.limit() && libomp().blocktime_ms() > 0;
  }

  Member& member_;
  std::int64_t end_ns_ = 0;  // 0: since the last work it has not spun
};

void sleep(Member& member, bool (*done)(void*), void* argument) {
  Region& region = *member.region;
  // As many looks a second however many sleep: each looks at all the others. Those of a team that loops over files find none, and
  // there may be hundreds.
  std::int64_t sleepers = region.sleepers.fetch_add(1, std::memory_order_seq_cst) + 1;
  std::int64_t turn_ns = longest_sleep_ns * std::max<std::int64_t>(sleepers / gate::the_gate.cores.limit(), 1);
  std::int64_t longest_ns = no_task_left(region) ? longest_sleep_without_task_ns : std::min(turn_ns, longest_sleep_without_task_ns);
  doze(member, longest_ns, [&] { return !done(argument) && !begin_one(member); });
  region.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

void Worker::poke() {
  pokes.fetch_add(1, std::memory_order_seq_cst);  // before the look at `asleep`: the sleeper does it the other way round
  if (asleep.load(std::memory_order_seq_cst)) sys::wake_soon(pokes, 1, sys::Sleeper::idles);
}

namespace {

constinit std::int64_t patience_ns = 500 * base::ns_per_ms;

// One that wants ground goes on elsewhere only where it may be what is waited for, and after a while.
bool may_lie_on(Below below, const Member& member, const Task& task) {
  constexpr std::int64_t while_ns = 10 * base::ns_per_ms;
  if (!task.wants_ground_ns || (below == Below::waits && is_ground(member, member.current, task))) return true;
  return below != Below::goes_on && base::now_ns() - task.wants_ground_ns > while_ns;
}

base::Link* next_ready(Member& member, Below below) {
  base::SpinScope locked(member.ready_lock);
  if (!member.woken.empty()) fetch_woken(member);
  // With a lock held in a wait here, another task might want it and never let the holder go on. But one that was set aside with a lock
  // held may have what is waited for here; and where it wants the other, it makes way again.
  const Task* top = member.only_below;
  auto fits = [top](const Task& task) { return !top || descends(task, *top) || (task.holds_lock && !top->of_its_thread); };
  auto may = [&](const Task& task) { return fits(task) && may_lie_on(below, member, task); };
  if (top) return pop_if(member, may);
  std::int32_t count = member.ready_count.load(std::memory_order_relaxed);
  if (!count || !shuffled()) {
    base::Link* link = pop_if(member, may);
    fetch_next(member);
    return link;
  }
  // For tests: any order is as good as another.
  std::int32_t at = static_cast<std::int32_t>(random_of(*member.worker) % static_cast<std::uint32_t>(count));
  base::Link* link = pop_if(member, [&](const Task& task) { return at-- <= 0 && may(task); });
  return link ? link : pop_if(member, may);
}

// Did the thread not come by for so long that what is ready there is better done elsewhere?
bool is_late(Member& member, std::int64_t now_ns) {
  // Relaxed: several idle threads may look at once, and all come to much the same view.
  std::uint32_t visits = member.visits.load(std::memory_order_relaxed);
  std::int64_t since_ns = member.visits_seen_ns.load(std::memory_order_relaxed);
  if (since_ns && visits == member.visits_seen.load(std::memory_order_relaxed)) return now_ns - since_ns > patience_ns;
  member.visits_seen.store(visits, std::memory_order_relaxed);
  member.visits_seen_ns.store(now_ns, std::memory_order_relaxed);
  return false;
}

// Only where a program was found to keep nothing a thread: else a tied task waits, whatever for.
bool may_move_tied() { return wait::policy.automatic.load(std::memory_order_relaxed); }

// Has it been idle for long? Then what waits for a thread that can't take it, and no other may, had better go on here.
bool is_patient(const Member& member, std::int64_t now_ns) {
  return member.idle_since_ns && now_ns - member.idle_since_ns > patience_ns;
}

// A thread on which many tasks began has many to go on with, and the next one it comes to by itself. Where it waits with a lock
// held it comes to none but descendants of that task.
base::Link* take_from(Member& other, const Member& member) {
  if (other.woken.empty() && !other.ready_count.load(std::memory_order_relaxed)) return nullptr;
  const std::int64_t now_ns = base::now_ns();
  bool may_move = may_move_tied(), late = may_move && is_late(other, now_ns), stuck = may_move || is_patient(member, now_ns);
  base::SpinScope locked(other.ready_lock);
  fetch_woken(other);
  const Task* here = member.only_below;
  const Task* there = other.only_below;
  bool tied_too = may_move && (late || other.ready_count.load(std::memory_order_relaxed) > 1);
  return pop_if(other, [=](const Task& task) {
    if (task.goes_home || task.holds_lock || (here && !descends(task, *here))) return false;
    bool free = (task.untied || tied_too) && !task.keeps_errno;
    if (free || task.state == TaskState::fresh) return true;
    return stuck && there && !descends(task, *there);
  });
}

}  // namespace

void set_patience(std::int64_t ms) {
  if (ms > 0) patience_ns = ms * base::ns_per_ms;
}

void leave_ready(Member& member, Task& task) {
  task.home = &member;
  {
    base::SpinScope locked(member.ready_lock);
    add_ready(member, &task.ready);
  }
  rouse_one(*member.region);
}

bool go_on_with_one(Member& member, Below below) {
  member.visits.store(member.visits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (!member.ready_count.load(std::memory_order_relaxed) && member.woken.empty()) return false;
  base::Link* link = next_ready(member, below);
  if (!link) return false;
  Task& task = *Task::of_ready(link);
  task.lies_on = task.wants_ground_ns ? Below::nothing : below;
  resume(member, task);
  return true;
}

namespace {

// Calls enough for any device, and for the controller to see what more of them would bring.
bool crowded() {
  constexpr std::int64_t enough = 2048;
  const gate::Permits& permits = gate::the_gate.permits;
  std::int64_t waiting = permits.waiting();
  return waiting > enough && waiting > 8 * permits.limit();
}

}  // namespace

void catch_up(Member& member) {
  constexpr std::int64_t moment_ns = 100 * base::ns_per_us;
  constexpr int most_at_once = 64;  // of what is new, some is to begin all the same: it may have nothing to do with calls
  if (!crowded() || member.catches_up || member.only_below || keeps_others_off(member)) [[likely]] return;
  member.catches_up = true;
  int went_on = 0;
  while (went_on < most_at_once && crowded() && go_on_with_one(member, Below::goes_on)) ++went_on;
  if (!went_on) doze(member, moment_ns, [] { return true; });
  member.catches_up = false;
}

// Goes on with one that is ready elsewhere.
static bool go_on_for_another(Member& member) {
  for (Member* m = member.region->members.load(std::memory_order_acquire); m; m = m->next) {
    if (m == &member) continue;
    if (base::Link* link = take_from(*m, member)) {
      Task& task = *Task::of_ready(link);
      task.lies_on = Below::waits;
      m->worker->looked.others_went_on();
      resume(member, task);
      return true;
    }
  }
  return false;
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
    // Asked only now: each thread's counters are another core's memory, and who has tasks of its own needs none of them.
    if (i == 0 && no_task_left(*member.region)) return false;
  }
  return false;
}

namespace {

// libomp has laid into this thread's queue what waited for the task that was over here: one that sleeps may take some of it.
void call_for_freed(Member& member) {
  if (!member.frees) return;
  member.frees = false;
  Region& region = *member.region;
  if (region.sleepers.load(std::memory_order_relaxed) && !no_task_left(region)) rouse_one(region);
}

}  // namespace

bool go_on_at_last(Member& member, Below below) {
  Task* top = member.only_below.load(std::memory_order_relaxed);
  if (!top || top != member.opens_for || base::now_ns() < member.opens_ns) return false;
  member.only_below = nullptr;
  const Task* open_before = std::exchange(member.open, member.current);
  const bool went_on = go_on_with_one(member, below);
  member.open = open_before;
  member.only_below = top;
  return went_on;
}

void work_until(Member& member, bool (*done)(void*), void* argument) {
  Spinning spinning(member);
  while (!done(argument)) {
    call_for_freed(member);
    bool went_on = go_on_with_one(member, Below::waits);
    if (went_on && std::exchange(member.yielded, false)) begin_one(member);
    if (went_on || begin_one(member) || go_on_for_another(member) || go_on_at_last(member, Below::waits)) {
      member.idle_since_ns = 0;
      spinning.found_work();
    } else if (!spinning.spin(done, argument)) {
      if (!member.idle_since_ns) member.idle_since_ns = base::now_ns();
      sleep(member, done, argument);
    }
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

// A task waits for its descendants with a lock held. They may wait for what is ready on this thread, too, and no other one come for
// that: so after a while it goes on on top of them; where it wants the lock, it makes way. Not where a task that lies below keeps
// others off for a reason of its own; one that opens so, too, has none.
class LastResort {
 public:
  LastResort(Member& member, const OnlyBelow& only_below)
      : member_(member), keeper_before_(member.opens_for), from_ns_before_(member.opens_ns) {
    constexpr std::int64_t patience_ns = 100 * base::ns_per_ms;
    const base::Thread& thread = base::self();
    const bool by_plain_locks = thread.lock_depth > 0 && thread.lock_depth <= thread.plain_locks && !member.current->of_its_thread;
    if (!by_plain_locks || !only_below.keeps_off() || (only_below.before() && only_below.before() != keeper_before_)) return;
    member.opens_for = member.current;
    member.opens_ns = base::now_ns() + patience_ns;
  }
  ~LastResort() {
    member_.opens_for = keeper_before_;
    member_.opens_ns = from_ns_before_;
  }
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

 private:
  Member& member_;
  const Task* keeper_before_;
  std::int64_t from_ns_before_;
};

}  // namespace

void work_until_none(Member& member, Tally& tally) {
  SleepingThread me(member);
  if (!tally.wait(&me)) return;
  const bool is_first = !member.first_wait && member.current->parent && member.current->state == TaskState::in_place;
  if (is_first) member.first_wait = static_cast<const char*>(__builtin_frame_address(0));
  OnlyBelow only_below(member);
  LastResort last_resort(member, only_below);
  work_until(
      member, [](void* self) { return static_cast<SleepingThread*>(self)->woken.load(std::memory_order_acquire); },
      &me);
  if (is_first) member.first_wait = nullptr;
  tally.waited();
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
