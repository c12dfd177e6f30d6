// SPDX-License-Identifier: Apache-2.0
#include "gate/cores.h"

#include <algorithm>

#include "base/clock.h"
#include "sys/process.h"

namespace weir::gate {

std::int64_t Cores::room_for(Haste haste) const {
  if (open_.load(std::memory_order_relaxed) > 0) return any_number;
  std::int64_t room = limit() + (haste == has_task ? spare_.load(std::memory_order_relaxed) : 0);
  return std::min(room, most_.load(std::memory_order_relaxed));
}

bool Cores::try_take(Haste haste) {
  std::int64_t held = held_.load();
  while (held < room_for(haste)) {
    if (held_.compare_exchange_weak(held, held + 1)) return true;
  }
  return false;
}

Cores::Patience Cores::patience_of(std::int64_t timeout_ns, Haste haste) const {
  if (haste != has_task) {
    std::int64_t end = base::now_ns() + timeout_ns;
    return {timeout_ns, end, end};
  }
  std::int64_t step = std::min(timeout_ns, patience_ns_.load(std::memory_order_relaxed)), end = base::now_ns() + step;
  return {step, end, end + std::max<std::int64_t>(0, std::min(longest * step, longest_ns) - step)};
}

bool Cores::take(std::int64_t timeout_ns, Haste haste) {
  if (try_take(haste)) return true;
  Patience mine = patience_of(timeout_ns, haste);
  const std::int64_t patience = mine.step;
  std::uint32_t gives = gives_.load(std::memory_order_relaxed);
  do {
    Sleeper me;
    me.haste = haste;
    if (!lie_down(me)) return true;
    if (!sleep(me, mine)) return go_on_over_limit(haste, patience, gives), false;
  } while (!try_take(haste));
  if (patience < timeout_ns) learn_patience(patience * 2);
  return true;
}

bool Cores::take_in_turn(std::int64_t timeout_ns) {
  std::int64_t end = base::now_ns() + timeout_ns;
  Patience mine{timeout_ns, end, end};
  while (!try_take(has_task)) {
    Sleeper me;
    if (!lie_down(me)) return true;
    if (!sleep(me, mine)) return false;
  }
  return true;
}

// Nobody gave a slot back all the while: those who hold them don't compute but wait for something nobody told us of,
// perhaps for us. So the next one waits half as long; and each who was called, twice as long again.
void Cores::go_on_over_limit(Haste haste, std::int64_t patience_ns, std::uint32_t gives) {
  if (haste == has_task && gives_.load(std::memory_order_relaxed) == gives) learn_patience(patience_ns / 2);
  held_.fetch_add(1);
}

void Cores::learn_patience(std::int64_t patience_ns) {
  patience_ns_.store(patience_ns > least_patience_ns ? patience_ns : least_patience_ns, std::memory_order_relaxed);
}

// Its slot is given back and it lies down in one step: else it would have it again before the one it called is awake. Somebody
// gives one back after that: who was called, or, where none was, one of those that hold more than there are.
bool Cores::make_way(std::int64_t timeout_ns, Haste haste) {
  Sleeper me;
  me.haste = haste;
  Patience mine = patience_of(timeout_ns, haste);
  lock_.lock();
  if (!top_[has_task] && (haste == has_task || !top_[looks_for_work])) {
    lock_.unlock();
    return false;
  }
  held_.fetch_sub(1);
  std::atomic<std::uint32_t>* called = call_one_locked();
  std::uint32_t gives = gives_.load(std::memory_order_relaxed);
  lie_down_last_locked(me);
  lock_.unlock();
  if (called) sys::futex_wake(*called);
  if (!sleep(me, mine)) go_on_over_limit(haste, mine.step, gives);
  else if (!try_take(haste)) take(timeout_ns, haste);
  else if (mine.step < timeout_ns) learn_patience(mine.step * 2);
  return true;
}

void Cores::lie_down_last_locked(Sleeper& me) {
  sleeping_.fetch_add(1);
  if (me.haste == has_task) in_haste_.fetch_add(1, std::memory_order_relaxed);
  Sleeper** last = &top_[me.haste];
  while (*last) last = &(*last)->below;
  *last = &me;
}

// Among the sleepers, unless a slot is to be had after all. Announced before that last look: a give() that misses us in
// sleeping_ has freed its slot before our try_take.
bool Cores::lie_down(Sleeper& me) {
  lock_.lock();
  sleeping_.fetch_add(1);
  bool taken = try_take(me.haste);
  if (taken) {
    sleeping_.fetch_sub(1);
  } else {
    me.below = top_[me.haste];
    top_[me.haste] = &me;
    if (me.haste == has_task) in_haste_.fetch_add(1, std::memory_order_relaxed);
  }
  lock_.unlock();
  return !taken;
}

// True when called; false when the time was up, and we are off the list. While slots go from hand to hand, that is
// not before `latest`: those who hold them wait for nobody then, and to go on over the limit would only bring one more to the
// cores, whose memory has been out of the caches for longest.
bool Cores::sleep(Sleeper& me, Patience& mine) {
  std::uint32_t seen = gives_.load(std::memory_order_relaxed);
  while (!me.called.load(std::memory_order_acquire)) {
    std::int64_t now = base::now_ns(), left = mine.end - now;
    if (left > 0) {
      sys::futex_wait(me.called, 0, left);
      continue;
    }
    std::uint32_t gives = gives_.load(std::memory_order_relaxed);
    if (gives - seen > static_cast<std::uint32_t>(room_for(me.haste)) && now < mine.latest) {
      seen = gives;
      mine.end = std::min(now + mine.step, mine.latest);
      continue;
    }
    lock_.lock();
    bool called = me.called.load(std::memory_order_relaxed);
    if (!called) {
      Sleeper** at = &top_[me.haste];
      while (*at != &me) at = &(*at)->below;
      *at = me.below;
      leave_locked(me);
    }
    lock_.unlock();
    return called;
  }
  return true;
}

// A slot was given back. Calls the sleeper on top, if there is room for it; the futex wake is left to the caller, outside the
// lock. Its frame lives until `called` is set: nothing of it is touched after that, and a wake of an address that is gone
// does no harm.
std::atomic<std::uint32_t>* Cores::call_one_locked() {
  gives_.store(gives_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  Haste haste = top_[has_task] ? has_task : looks_for_work;
  Sleeper*& top = top_[haste];
  Sleeper* next = top;
  if (!next || held_.load() >= room_for(haste)) return nullptr;
  top = next->below;
  leave_locked(*next);
  next->called.store(1, std::memory_order_release);
  return &next->called;
}

void Cores::leave_locked(const Sleeper& sleeper) {
  sleeping_.fetch_sub(1);
  if (sleeper.haste == has_task) in_haste_.fetch_sub(1, std::memory_order_relaxed);
}

void Cores::give() {
  held_.fetch_sub(1);
  if (sleeping_.load() > 0) call_one();
}

bool Cores::call_one() {
  lock_.lock();
  std::atomic<std::uint32_t>* called = call_one_locked();
  lock_.unlock();
  if (called) sys::futex_wake(*called);
  return called;
}

void Cores::set_limit(std::int64_t limit, std::int64_t spare) {
  limit_.store(limit < 1 ? 1 : limit);
  spare_.store(spare);
  call_for_room();
}

void Cores::hold_to(std::int64_t most) {
  if (most_.exchange(most) < most) call_for_room();
}

void Cores::open() {
  open_.fetch_add(1);
  call_for_room();
}

void Cores::call_for_room() {
  for (std::int64_t i = 0, room = room_for(has_task); i < room && call_one(); ++i) {}
}

void Cores::after_fork() {
  lock_.after_fork();
  open_.store(0);
  held_.store(0);
  sleeping_.store(0);
  in_haste_.store(0);
  top_[has_task] = top_[looks_for_work] = nullptr;
}

}  // namespace weir::gate
