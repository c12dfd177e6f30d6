// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/task_region.h"

#include <pthread.h>

#include <new>
#include <utility>

#include "base/spin.h"
#include "omp_ext/awaited_event.h"
#include "omp_ext/idle.h"
#include "omp_ext/order.h"
#include "omp_ext/pool.h"
#include "omp_ext/preempt.h"
#include "omp_ext/self_test.h"
#include "omp_ext/team_waits.h"
#include "omp_ext/tool.h"
#include "omp_ext/waits.h"
#include "sys/process.h"
#include "wait/lane.h"

namespace weir::omp {
namespace {

constinit Pool<Worker> workers;
constinit std::atomic<Worker*> all_workers{nullptr};
constinit Pool<Member> members;

constinit pthread_key_t thread_end;
constinit bool ends_are_told = false;

// What a thread had is the next one's.
void thread_ends(void* worker_) {
  auto* worker = static_cast<Worker*>(worker_);
  base::self().omp = nullptr;
  for (fiber::Stack* stack = std::exchange(worker->stacks, nullptr); stack;) {
    fiber::Stack* next = stack->next;
    stacks.give(stack);
    stack = next;
  }
  worker->stack_count = 0;
  workers.give(worker);
}

// For the thread that enters; nullptr: there is none for any.
Member* take_place(Region& region) {
  base::Thread& thread = base::self_unsuspended();
  sys::LockScope locked(region.entering);
  if (!region.allotted) {
    region.allotted = true;
    std::int32_t threads = libomp().num_threads();
    region.members_left = members.take(threads);
    if (region.members_left) region.workers_left = workers.take(threads);
    if (!region.workers_left) members.give_all(std::exchange(region.members_left, nullptr));
  }
  Member* member = region.members_left;
  if (!member) return nullptr;
  region.members_left = member->next_free;
  if (!thread.omp) {
    Worker* worker = region.workers_left;
    region.workers_left = worker->next_free;
    worker->member = nullptr;
    worker->on_top = false;
    worker->tid = sys::thread_id();
    worker->random = 2463534242u ^ static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(worker));
    thread.omp = worker;
    if (ends_are_told) pthread_setspecific(thread_end, worker);
    if (!std::exchange(worker->is_listed, true)) {
      worker->next_of_all = all_workers.load(std::memory_order_relaxed);
      while (!all_workers.compare_exchange_weak(worker->next_of_all, worker, std::memory_order_release)) {}
    }
  }
  return member;
}

constinit base::Spin judging;

// In a child: the team that it was forked in is the parent's, and libomp's own child handler makes this thread one of another.
// Whoever else was at what follows is not there.
void in_forked_child() {
  base::self_unsuspended().omp = nullptr;
  if (ends_are_told) pthread_setspecific(thread_end, nullptr);
  all_workers.store(nullptr, std::memory_order_relaxed);
  judging.unlock();
  members.after_fork();
  workers.after_fork();
  stacks.after_fork();
  tasks_after_fork();
  waits_after_fork();
  order_after_fork();
  events_after_fork();
  team::team_waits_after_fork();
}

// From the start on, for a child may be forked while another thread judges.
__attribute__((constructor)) void begin() {
  pthread_atfork(nullptr, nullptr, in_forked_child);
  ends_are_told = !pthread_key_create(&thread_end, thread_ends);
}

// unasked -> wanted | unwanted, once; then it holds for the process.
enum Verdict : int { unasked, wanted, unwanted };

Verdict judge() {
  if (!libomp().present || team::tool_of_others() || !suspension_works()) return unwanted;
  std::int64_t kib = weir_setting_number("WEIR_STACK_KIB");
  stacks.set_bytes(kib > 0 ? static_cast<std::size_t>(kib) << 10 : libomp().stack_bytes());
  set_most_set_aside(weir_setting_number("WEIR_MAX_SUSPENDED"));
  set_patience(weir_setting_number("WEIR_WATCHDOG_MS"));
  preempt_when_stalled();
  return weir_runtime_register(&omp_runtime, base::in_omp_task) ? unwanted : wanted;
}

// One thread runs its tasks in an order that a program may count on without ever saying so: only who asks for it gets
// another one.
bool keeps_order(std::int32_t threads) {
  return threads == 1 && wait::policy.automatic.load(std::memory_order_relaxed);
}

// Has everybody arrived at this member's latest barrier, and is no task left?
bool settled(void* member_) {
  auto& member = *static_cast<Member*>(member_);
  Region& region = *member.region;
  if (region.quiet.load(std::memory_order_acquire) >= member.barriers) return true;
  std::int64_t all = std::int64_t{member.barriers} * region.threads.load(std::memory_order_relaxed);
  if (region.arrived.load(std::memory_order_acquire) < all || !no_task_left(region)) return false;
  std::int32_t before = member.barriers - 1;
  if (region.quiet.compare_exchange_strong(before, member.barriers, std::memory_order_acq_rel)) rouse_all(region);
  return true;
}

}  // namespace

bool no_task_left(const Region& region) {
  // Completed first: both only grow, so if they are found equal there was a moment without a task.
  std::int64_t completed = region.completed_elsewhere.load(std::memory_order_acquire);
  Member* first = region.members.load(std::memory_order_acquire);
  for (Member* m = first; m; m = m->next) completed += m->completed.load(std::memory_order_acquire);
  std::int64_t created = 0;
  for (Member* m = first; m; m = m->next) created += m->created.load(std::memory_order_acquire);
  return created == completed;
}

Member* innermost_member() {
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  return worker ? worker->member.load(std::memory_order_relaxed) : nullptr;
}

Worker* first_worker() { return all_workers.load(std::memory_order_acquire); }

bool regions_wanted() {
  if (wait::policy.best.load(std::memory_order_relaxed) != wait::Lane::suspend) return false;
  static std::atomic<int> verdict{unasked};
  int known = verdict.load(std::memory_order_acquire);
  if (known == unasked) {
    if (!libomp().present || libomp().num_threads() > 1) return false;  // the trial needs a serial place
    base::SpinScope locked(judging);
    known = verdict.load(std::memory_order_acquire);
    if (known == unasked) verdict.store(known = judge(), std::memory_order_release);
  }
  // Cancellation discards tasks without our hearing of it: such programs park.
  return known == wanted && !libomp().cancellation();
}

__attribute__((noinline)) Member& member_now() { return *static_cast<Worker*>(base::self().omp)->member; }

bool enter(Region& region, std::int32_t gtid) {
  Member* member = take_place(region);
  if (!member) {
    if (Member* outer = innermost_member()) ++outer->serialized;
    return false;
  }
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  member->region = &region;
  member->worker = worker;
  member->outer = worker->member;
  member->gtid = gtid;
  member->barriers = 0;
  member->region_parent = nullptr;
  member->movable = 0;
  new (&member->implicit) Task;
  member->implicit.home = member;
  member->implicit.state = TaskState::in_place;
  member->current = &member->implicit;
  member->only_below = nullptr;
  member->opens_for = nullptr;
  member->open = nullptr;
  member->in_hand = 0;
  member->handed_back = nullptr;
  member->idle_since_ns = 0;
  member->first_wait = nullptr;
  member->at_barrier = false;
  member->yielded = false;
  member->catches_up = false;
  member->frees = false;
  member->begun.store(0, std::memory_order_relaxed);
  member->aside.store(0, std::memory_order_relaxed);
  member->visits_seen_ns.store(0, std::memory_order_relaxed);
  member->begun_by_idle = ~std::uint64_t{0};
  member->created.store(0, std::memory_order_relaxed);
  member->completed.store(0, std::memory_order_relaxed);
  if (member->outer) member->implicit.final = member->outer->current->final;
  std::int32_t threads = libomp().num_threads();
  region.threads.store(threads, std::memory_order_relaxed);
  member->serialized = keeps_order(threads) ? 1 : 0;
  worker->member = member;
  member->next = region.members.load(std::memory_order_relaxed);
  while (!region.members.compare_exchange_weak(member->next, member, std::memory_order_acq_rel)) {}
  return true;
}

void left_outside() {
  if (Member* outer = innermost_member()) --outer->serialized;
}

void leave() {
  auto* worker = static_cast<Worker*>(base::self_unsuspended().omp);
  if (!worker) return;  // a child that was forked in it
  Member* member = worker->member;
  give_order(member->implicit);
  worker->member = member->outer;
  if (!member->outer && member->gtid == 0) stacks.trim();
}

Region::~Region() {
  for (Member* m = members.load(std::memory_order_acquire); m;) {
    Member* next = m->next;
    weir::omp::members.give(m);
    m = next;
  }
  weir::omp::members.give_all(members_left);
  workers.give_all(workers_left);
}

void settle(Member& member) {
  Region& region = *member.region;
  ++member.barriers;
  region.arrived.fetch_add(1, std::memory_order_acq_rel);
  member.at_barrier = true;
  work_until(member, settled, &member);
  member.at_barrier = false;
}

}  // namespace weir::omp
