// SPDX-License-Identifier: Apache-2.0
// Detachable tasks: over when both the body is and the event was fulfilled.
#include "base/spin.h"
#include "omp_ext/awaited_event.h"
#include "omp_ext/idle.h"
#include "omp_ext/next.h"
#include "omp_ext/order.h"
#include "omp_ext/task_region.h"
#include "sys/futex.h"

namespace weir::omp {
namespace {

constinit Next<void*(Ident*, std::int32_t, KmpTask*)> next_allow_event{"__kmpc_task_allow_completion_event"};
constinit Next<void(void*)> next_fulfill{"omp_fulfill_event"};

constinit base::Spin lock;
constinit Task* with_event = nullptr;

Task* take_task_of(void* event) {
  base::SpinScope locked(lock);
  for (Task** link = &with_event; *link; link = &(*link)->next_with_event) {
    Task* task = *link;
    if (task->event != event) continue;
    *link = task->next_with_event;
    return task;
  }
  return nullptr;
}

constinit AwaitedEvent* awaited = nullptr;

// False: it is none of ours.
bool end_wait(void* event) {
  base::SpinScope locked(lock);
  for (AwaitedEvent* e = awaited; e; e = e->next)
    if (e == event) return e->fulfill(), true;
  return false;
}

}  // namespace

AwaitedEvent::AwaitedEvent() {
  base::SpinScope locked(lock);
  next = awaited;
  awaited = this;
}

// Under the lock: who waits is not gone before the wake.
void AwaitedEvent::fulfill() {
  fulfilled_.store(1, std::memory_order_release);
  sys::futex_wake(fulfilled_);
}

AwaitedEvent::~AwaitedEvent() {
  constexpr std::int64_t slice_ns = 2'000'000;
  // acquire: what was done before the event was fulfilled is seen.
  while (!fulfilled_.load(std::memory_order_acquire)) {
    Member* member = member_here();
    if (!member || !go_on_with_one(*member)) sys::futex_wait(fulfilled_, 0, member ? slice_ns : sys::forever);
  }
  base::SpinScope locked(lock);
  AwaitedEvent** link = &awaited;
  while (*link != this) link = &(*link)->next;
  *link = next;
}

void events_after_fork() { lock.unlock(); }

void* allow_event(Ident* place, std::int32_t gtid, KmpTask* kmp) {
  void* event = next_allow_event(place, gtid_here(gtid), kmp);
  if (!ours(kmp)) return event;
  Task& task = *task_of(kmp);
  if (task.event) return event;
  task.event = event;
  task.parts_left.fetch_add(1, std::memory_order_relaxed);
  base::SpinScope locked(lock);
  task.next_with_event = with_event;
  with_event = &task;
  return event;
}

}  // namespace weir::omp

using namespace weir::omp;

WEIR_INTERPOSED void* __kmpc_task_allow_completion_event(Ident* place, std::int32_t gtid, KmpTask* kmp) {
  return allow_event(place, gtid, kmp);
}

// Any thread may call this; the task's memory is libomp's to free from the next call on.
WEIR_INTERPOSED void omp_fulfill_event(void* event) {
  if (end_wait(event)) return;
  if (Task* task = take_task_of(event)) over(*task);
  else leave_place_of(event);
  next_fulfill(event);
}
