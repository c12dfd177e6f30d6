// SPDX-License-Identifier: Apache-2.0
#include "gate/reserve.h"

#include "base/clock.h"

namespace weir::gate {

// seq_cst, as behind() and what `useless` looks at: of who stays and who makes it of use, one sees the other.
void Reserve::lie_down(Sleeper& me, bool at_the_bottom) {
  sys::LockScope locked(lock_);
  Sleeper** at = &top_;
  while (at_the_bottom && *at) at = &(*at)->below;
  me.below = *at;
  *at = &me;
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
  Sleeper** at = &top_;
  while (*at != &me) at = &(*at)->below;
  *at = me.below;
  behind_.fetch_sub(1, std::memory_order_seq_cst);
  return false;
}

// A sleeper's frame lives until `called` is set: nothing of it is touched after that, and a wake of an address that is gone does
// no harm.
void Reserve::call_one() {
  lock_.lock();
  Sleeper* next = top_;
  std::atomic<std::uint32_t>* called = nullptr;
  if (next) {
    top_ = next->below;
    behind_.fetch_sub(1, std::memory_order_seq_cst);
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
  top_ = nullptr;
}

}  // namespace weir::gate
