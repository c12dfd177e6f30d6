// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_waits.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/clock.h"
#include "omp_ext/libomp.h"
#include "omp_ext/pool.h"
#include "omp_ext/seat.h"
#include "omp_ext/task_region.h"
#include "omp_ext/team_idle.h"
#include "sys/futex.h"

namespace weir::team {

// A task or a taskgroup, for which tasks count that are its children or were created in it.
struct Awaited {
  std::atomic<std::uint32_t> left;    // so many of them are not over; and one more until it is itself
  std::atomic<std::uint32_t> sleeps;  // who waits for them
  Awaited* parent;                    // the task that created this one
  Awaited* group;                     // the innermost one that is open; of a group the one around it
  Awaited* next_free;
};

namespace {

constinit omp::Pool<Awaited> pool;
constinit std::atomic<bool> lost_count{false};  // there was no memory for a group

// Of all such teams. Who waits at a barrier sleeps on their number while there are any; the second word says how many do.
constinit std::atomic<std::uint32_t> not_over{0}, asleep{0};

Awaited* fresh(Awaited* parent, Awaited* group) {
  Awaited* awaited = pool.take();
  if (!awaited) return nullptr;
  awaited->left.store(1, std::memory_order_relaxed);
  awaited->sleeps.store(0, std::memory_order_relaxed);
  awaited->parent = parent;
  awaited->group = group;
  return awaited;
}

// One less is left. Whoever waits may have gone on before it is woken here, and this be another's by then: that one wakes in vain.
void one_is_over(Awaited* of) {
  if (!of) return;
  std::uint32_t before = of->left.fetch_sub(1);
  if (before == 1) pool.give(of);
  else if (before == 2 && of->sleeps.load()) sys::futex_wake(of->left);
}

// In the outermost region's team, where libomp alone runs its tasks.
bool counts_tasks(const base::Thread& thread) {
  std::uintptr_t seat = thread.seat.team;
  return (is_wide(seat) || is_crowded(seat)) && !is_inner(seat) && !lost_count.load(std::memory_order_relaxed) &&
         !omp::innermost_member();
}

bool are_over(const Awaited& of) { return of.left.load(std::memory_order_acquire) <= 1; }

// Begins what libomp has for the calling thread, if there is any: each time it is asked, it looks at one thread's queue.
bool had_work(base::TeamSeat& seat, std::int32_t gtid, int queues) {
  for (int i = 0; i < queues; ++i) {
    seat.idle_seen_ns = 1;
    omp::libomp().taskyield(nullptr, gtid, 0);
    if (!std::exchange(seat.idle_seen_ns, 0)) return true;
  }
  return false;
}

void await(Awaited& of, base::TeamSeat& seat) {
  const std::int32_t gtid = omp::libomp().global_thread_num(nullptr);
  const int all = omp::libomp().num_threads();
  std::int64_t idle_since_ns = 0;
  while (!are_over(of)) {
    // Hundreds that wake again and again, and look everywhere, would take the cores, too.
    if (had_work(seat, gtid, idle_since_ns ? std::min(all, 8) : all)) {
      idle_since_ns = 0;
      continue;
    }
    std::int64_t now_ns = base::now_ns();
    if (!idle_since_ns) idle_since_ns = now_ns;
    if (now_ns - idle_since_ns < spins_for_work_ns) continue;
    of.sleeps.store(1);
    std::uint32_t left = of.left.load();
    if (left > 1) sleep_for_lack_of_work(now_ns - idle_since_ns, of.left, left);
    of.sleeps.store(0, std::memory_order_relaxed);
  }
}

// Where the running task's record stands.
Awaited* awaited_of(base::Thread& thread, ompt_data_t* task) {
  return static_cast<Awaited*>(task->value & ours_mark ? thread.seat.own_task : task->ptr);
}

// The same, to count in it: an implicit task has one from its first task or group on.
Awaited* counting_in(base::Thread& thread, ompt_data_t* task) {
  if (task->value & ours_mark && !thread.seat.own_task) thread.seat.own_task = fresh(nullptr, nullptr);
  return awaited_of(thread, task);
}

}  // namespace

void task_is_created(base::Thread& thread, ompt_data_t* by, ompt_data_t* task, int flags) {
  // (A taskwait with dependences is none, though libomp says so too; what it has for a word is the thread's.)
  if (!(flags & ompt_task_explicit) || flags & ompt_task_taskwait || !by || !counts_tasks(thread)) return;
  Awaited* parent = counting_in(thread, by);
  if (!parent) return;
  Awaited* made = fresh(parent, parent->group);
  if (!made) return;
  parent->left.fetch_add(1, std::memory_order_relaxed);
  if (parent->group) parent->group->left.fetch_add(1, std::memory_order_relaxed);
  not_over.fetch_add(1);
  task->ptr = made;
}

void task_is_over(ompt_data_t* task) {
  if (!task || !task->value || task->value & ours_mark) return;
  auto* over = static_cast<Awaited*>(task->ptr);
  task->ptr = nullptr;
  one_is_over(over->group);
  one_is_over(over->parent);
  one_is_over(over);
  // Whoever sleeps has said so before it saw a number that is not 0.
  if (not_over.fetch_sub(1) == 1 && asleep.load()) sys::futex_wake(not_over, 1 << 30);
}

void taskgroup_opens(base::Thread& thread, ompt_data_t* task) {
  if (!counts_tasks(thread)) return;
  Awaited* of = counting_in(thread, task);
  if (!of) return;
  Awaited* group = fresh(nullptr, of->group);
  if (group) of->group = group;
  else lost_count.store(true, std::memory_order_relaxed);
}

void taskgroup_is_closed(base::Thread& thread, ompt_data_t* task) {
  if (!counts_tasks(thread)) return;
  Awaited* of = awaited_of(thread, task);
  if (!of || !of->group) return;
  Awaited* group = of->group;
  of->group = group->group;
  one_is_over(group);
}

void await_tasks(base::Thread& thread, ompt_sync_region_t kind, ompt_data_t* task) {
  bool of_group = kind == ompt_sync_region_taskgroup;
  if (!of_group && kind != ompt_sync_region_taskwait) return;
  // Others may want the lock it holds.
  if (!counts_tasks(thread) || thread.lock_depth > 0 || !omp::libomp().present) return;
  Awaited* of = awaited_of(thread, task);
  if (of && of_group) of = of->group;
  if (of) await(*of, thread.seat);
}

bool slept_beside_tasks(std::int64_t idle_ns) {
  if (!not_over.load(std::memory_order_relaxed)) return false;
  asleep.fetch_add(1);
  std::uint32_t others = not_over.load();
  if (others) sleep_for_lack_of_work(idle_ns, not_over, others);
  asleep.fetch_sub(1, std::memory_order_relaxed);
  return others;
}

void forget_tasks(base::Thread& thread) {
  one_is_over(static_cast<Awaited*>(std::exchange(thread.seat.own_task, nullptr)));
}

void team_waits_after_fork() {
  pool.after_fork();
  not_over.store(0);
  asleep.store(0);
}

}  // namespace weir::team
