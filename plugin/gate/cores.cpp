// SPDX-License-Identifier: Apache-2.0
#include "gate/cores.h"

#include "base/clock.h"

namespace weir::gate {

void Cores::lock() {
  while (lock_.exchange(1, std::memory_order_acquire)) __builtin_ia32_pause();
}
void Cores::unlock() { lock_.store(0, std::memory_order_release); }

bool Cores::try_take() {
  std::int64_t held = held_.load();
  while (held < limit_.load(std::memory_order_relaxed)) {
    if (held_.compare_exchange_weak(held, held + 1)) return true;
  }
  return false;
}

bool Cores::take(std::int64_t timeout_ns) {
  if (try_take()) return true;
  Sleeper me;
  lock();
  // Announced before the last look: a give() that misses us in sleeping_ has freed its slot before this try_take.
  sleeping_.fetch_add(1);
  if (try_take()) {
    sleeping_.fetch_sub(1);
    unlock();
    return true;
  }
  me.below = top_;
  top_ = &me;
  unlock();

  std::int64_t end = base::now_ns() + timeout_ns;
  while (!me.called.load(std::memory_order_acquire)) {
    std::int64_t left = end - base::now_ns();
    if (left > 0) {
      sys::futex_wait(me.called, 0, left);
      continue;
    }
    lock();
    bool called = me.called.load(std::memory_order_relaxed);
    if (!called) {
      Sleeper** at = &top_;
      while (*at != &me) at = &(*at)->below;
      *at = me.below;
      sleeping_.fetch_sub(1);
    }
    unlock();
    if (called) break;
    held_.fetch_add(1);
    return false;
  }
  return true;
}

// Hands a free slot to the sleeper on top. The sleeper's frame lives until `called` is set: nothing of it is touched
// after that but the futex wake, which is harmless on an address that is gone.
void Cores::call_one_locked() {
  if (!top_ || !try_take()) return;
  Sleeper* next = top_;
  top_ = next->below;
  sleeping_.fetch_sub(1);
  next->called.store(1, std::memory_order_release);
  sys::futex_wake(next->called);
}

void Cores::give() {
  held_.fetch_sub(1);
  if (sleeping_.load() == 0) return;
  lock();
  call_one_locked();
  unlock();
}

void Cores::set_limit(std::int64_t limit) {
  limit_.store(limit < 1 ? 1 : limit);
  lock();
  for (std::int64_t i = 0; i < limit && top_; ++i) call_one_locked();
  unlock();
}

void Cores::after_fork() {
  lock_.store(0);
  held_.store(0);
  sleeping_.store(0);
  top_ = nullptr;
}

}  // namespace weir::gate
