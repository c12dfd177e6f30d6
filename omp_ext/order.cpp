// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/order.h"

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "base/spin.h"
#include "omp_ext/idle.h"
#include "omp_ext/pool.h"
#include "omp_ext/task_region.h"
#include "omp_ext/tool.h"
#include "omp_ext/waits.h"
#include "sys/file.h"
#include "sys/lock.h"

namespace weir::omp {

struct Order {
  // In a list of places.
  struct Entry {
    Entry* next_free;
    Entry* next;
    Place* place;
  };
  struct Use {
    Use* next_free;
    Use* next;
    void* address;
    Place* out;  // the last that writes there, or may
    Entry* ins;  // those since that read
  };

  static constexpr std::size_t size = 32;
  Order* next_free;
  Order* next;                        // (outside)
  const void* of;                     // (outside) the task that creates; nullptr: one of ours
  std::atomic<std::int32_t> holders;  // who creates or looks, and each child that is not over
  base::Spin lock;                    // of all below, and of its places
  Use* uses[size];                    // by address
};

struct Place {
  Place* next_free;
  Place* next;            // of those that may begin now
  Order* order;
  KmpTask* kmp;           // nullptr: who creates waits, with
  Tally* ready;
  std::int32_t unmet;     // so many before it are not over; and 1 as long as it may not begin in any case
  std::int32_t holders;
  bool over;
  Order::Entry* successors;
  std::atomic<std::int32_t> parts_left;
  void* event;
  Place* next_with_event;
};

namespace {

using Entry = Order::Entry;
using Use = Order::Use;

constinit Pool<Order> orders;
constinit Pool<Use> uses;
constinit Pool<Entry> entries;
constinit Pool<Place> places;
constinit sys::Lock outside_lock;
constinit Order* outside = nullptr;  // all that have holders
constinit base::Spin event_lock;
constinit Place* with_event = nullptr;

void drop(Place* place) {
  if (place && --place->holders == 0) places.give(place);
}

bool enlist(Entry*& list, Place* place) {
  Entry* entry = entries.take();
  if (!entry) return false;
  entry->place = place;
  entry->next = std::exchange(list, entry);
  ++place->holders;
  return true;
}

void strike_all(Entry*& list) {
  while (list) {
    Entry* entry = std::exchange(list, list->next);
    drop(entry->place);
    entries.give(entry);
  }
}

Order* new_order(const void* of) {
  Order* order = orders.take();
  if (!order) return nullptr;
  order->of = of;
  order->holders.store(1, std::memory_order_relaxed);
  new (&order->lock) base::Spin;
  for (Use*& use : order->uses) use = nullptr;
  return order;
}

void free_order(Order* order) {
  for (Use* use : order->uses) {
    while (use) {
      drop(use->out);
      strike_all(use->ins);
      uses.give(std::exchange(use, use->next));
    }
  }
  orders.give(order);
}

void release(Order* order) {
  if (!order->of) {
    if (order->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) free_order(order);
    return;
  }
  sys::LockScope locked(outside_lock);
  if (order->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Order** place = &outside;
  while (*place != order) place = &(*place)->next;
  *place = order->next;
  free_order(order);
}

Order* hold_outside() {
  const void* of = team::current_task();
  sys::LockScope locked(outside_lock);
  Order* order = outside;
  while (order && order->of != of) order = order->next;
  if (order) order->holders.fetch_add(1, std::memory_order_relaxed);
  else if ((order = new_order(of))) order->next = std::exchange(outside, order);
  return order;
}

// That of the current task's children, held; nullptr: no memory.
Order* hold_order(Task* parent) {
  if (!parent) return hold_outside();
  if (!parent->order) parent->order = new_order(nullptr);
  if (parent->order) parent->order->holders.fetch_add(1, std::memory_order_relaxed);
  return parent->order;
}

Use* use_of(Order& order, void* address) {
  auto word = reinterpret_cast<std::uintptr_t>(address);
  Use*& first = order.uses[(word >> 3 ^ word >> 8) % Order::size];
  for (Use* use = first; use; use = use->next)
    if (use->address == address) return use;
  Use* use = uses.take();
  if (!use) return nullptr;
  use->address = address;
  use->out = nullptr;
  use->ins = nullptr;
  use->next = std::exchange(first, use);
  return use;
}

bool comes_after(Place* place, Place* before) {
  if (!before || before == place || before->over) return true;
  if (!enlist(before->successors, place)) return false;
  ++place->unmet;
  return true;
}

bool comes_after_all(Place* place, Entry* list) {
  for (; list; list = list->next)
    if (!comes_after(place, list->place)) return false;
  return true;
}

// False: no memory for all of it.
bool line_up(Order& order, Place* place, const Depend& depend, bool for_others) {
  const bool writes = depend.flags != 1;
  Use* use = use_of(order, depend.base);
  if (!use || !comes_after(place, use->out)) return false;
  if (!writes) return !for_others || enlist(use->ins, place);
  if (!comes_after_all(place, use->ins)) return false;
  if (!for_others) return true;
  strike_all(use->ins);
  drop(std::exchange(use->out, place));
  ++place->holders;
  return true;
}

// With its unmet predecessors counted, and where others are to wait for it, known to them. It holds the order.
Place* place_in(Order* order, const GompDepends& depends, bool for_others, bool* complete) {
  Place* place = places.take();
  if (!place) return nullptr;
  new (place) Place{};
  place->parts_left.store(1, std::memory_order_relaxed);
  place->order = order;
  place->unmet = place->holders = 1;
  base::SpinScope locked(order->lock);
  for (std::int32_t i = 0; i < depends.count(); ++i) *complete = line_up(*order, place, depends[i], for_others) && *complete;
  return place;
}

void begin(Place* place) {
  if (!place->kmp) return place->ready->down();
  if (place->order->of) return static_cast<void>(libomp().task(nullptr, libomp().global_thread_num(nullptr), place->kmp));
  Task& task = *task_of(place->kmp);
  leave_ready(*task.home, task);
}

// One less before it.
void met(Order* order, Place* place) {
  {
    base::SpinScope locked(order->lock);
    if (--place->unmet) return;
  }
  begin(place);
}

// The thread runs others meanwhile, as libomp lets it.
void wait_outside(Tally& tally) {
  constexpr std::int64_t nap_ns = 50'000;
  for (int looks = 0; !tally.none(); ++looks) {
    libomp().taskyield(nullptr, libomp().global_thread_num(nullptr), 0);
    if (looks > 16) sys::sleep_ns(nap_ns);
  }
}

void await_children(Task* parent) {
  if (parent) wait_for(parent->children);
  else libomp().taskwait(nullptr, libomp().global_thread_num(nullptr));
}

}  // namespace

bool has_order(const Task* parent) { return parent || team::current_task(); }

void await_order(Task* parent, const GompDepends& depends) {
  Order* order = hold_order(parent);
  bool complete = true;
  Place* place = order ? place_in(order, depends, false, &complete) : nullptr;
  if (place) {
    Tally ready;
    ready.up();
    place->ready = &ready;
    met(order, place);
    parent ? wait_for(ready) : wait_outside(ready);
    base::SpinScope locked(order->lock);
    drop(place);
  }
  if (!place || !complete) await_children(parent);
  if (order) release(order);
}

Place* take_place(Task* parent, const GompDepends& depends) {
  Order* order = hold_order(parent);
  if (!order) return nullptr;
  bool complete = true;
  Place* place = place_in(order, depends, true, &complete);
  if (place && complete) return place;
  if (place) leave_place(place);
  else release(order);
  return nullptr;
}

void queue_in_order(Place* place, KmpTask* kmp) {
  place->kmp = kmp;
  met(place->order, place);
}

void await_event(Place* place, void* event) {
  place->parts_left.store(2, std::memory_order_relaxed);
  place->event = event;
  base::SpinScope locked(event_lock);
  place->next_with_event = std::exchange(with_event, place);
}

void leave_place_of(void* event) {
  Place* place;
  {
    base::SpinScope locked(event_lock);
    Place** link = &with_event;
    while (*link && (*link)->event != event) link = &(*link)->next_with_event;
    place = *link;
    if (place) *link = place->next_with_event;
  }
  leave_place(place);
}

void leave_place(Place* place) {
  if (!place || place->parts_left.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Order* order = place->order;
  Place* ready = nullptr;
  {
    base::SpinScope locked(order->lock);
    place->over = true;
    for (Entry* entry = place->successors; entry; entry = entry->next) {
      if (--entry->place->unmet) continue;
      entry->place->next = std::exchange(ready, entry->place);
    }
    strike_all(place->successors);
    drop(place);
  }
  while (ready) begin(std::exchange(ready, ready->next));
  release(order);
}

void give_order(Task& task) {
  if (task.order) release(std::exchange(task.order, nullptr));
}

void order_after_fork() {
  orders.after_fork();
  uses.after_fork();
  entries.after_fork();
  places.after_fork();
  outside_lock.after_fork();
  event_lock.unlock();
  outside = nullptr;
}

}  // namespace weir::omp
