// SPDX-License-Identifier: Apache-2.0
#include "gate/reserve.h"

#include "base/clock.h"

namespace weir::gate {

// seq_cst, as behind() and what `useless` looks at: of who stays and who makes it of use, one sees the other.
void Reserve::lie_down(Sleeper& me, bool at_the_bottom) {
  sys::LockScope locked(lock_);
  (at_the_bottom ? me.above : me.below) = at_the_bottom ? bottom_ : top_;
  (me.above ? me.above->below : top_) = &me;
  (me.below ? me.below->above : bottom_) = &me;
  behind_.fetch_add(1, std::memory_order_seq_cst);
}

Reserve::Woken Reserve::sleep(Sleeper& me, std::int64_t timeout_ns) {
  std::int64_t end = base::now_ns() + timeout_ns;
  while (!me.called.load(std::memory_order_acquire)) {
    std::int64_t left = end - base::now_ns();
    if (left <= 0) return get_up(me) ? Woken::called : Woken::timeout;
    sys::futex_wait(me.called, 0, left);
  }
  return Woken::called;
}

// By itself; true: it was called meanwhile.
bool Reserve::get_up(Sleeper& me) {
  sys::LockScope locked(lock_);
  if (me.called.load(std::memory_order_relaxed)) return true;
  unlink_locked(me);
  return false;
}

void Reserve::unlink_locked(Sleeper& me) {
  (me.above ? me.above->below : top_) = me.below;
  (me.below ? me.below->above : bottom_) = me.above;
  behind_.fetch_sub(1, std::memory_order_seq_cst);
}

// A sleeper's frame lives until `called` is set: nothing of it is touched after that, and a wake of an address that is gone does
// no harm.
void Reserve::call_one() {
  lock_.lock();
  Sleeper* next = top_;
  std::atomic<std::uint32_t>* called = nullptr;
  if (next) {
    unlink_locked(*next);
    called = &next->called;
    called->store(1, std::memory_order_release);
  }
  lock_.unlock();
  if (called) sys::futex_wake(*called);
}

void Reserve::call_all() {
  while (behind() > 0) call_one();
}

void Reserve::after_fork() {
  lock_.after_fork();
  in_loop_.store(0);
  behind_.store(0);
  has_lookout_.store(false);
  for_idle_cores_.store(false);
  top_ = bottom_ = nullptr;
}

}  // namespace weir::gate
