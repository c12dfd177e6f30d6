// SPDX-License-Identifier: Apache-2.0
#include "gate/permits.h"

#include <algorithm>

#include "base/clock.h"

namespace weir::gate {
namespace {
constexpr std::int64_t most_extensions = 50;  // sleeping threads are not served in order: one may be unlucky
constexpr std::uint32_t between_turns = 16;   // permits that come back, of which the last goes to a thread that sleeps
}

bool Permits::try_take() {
  std::int64_t held = held_.load(std::memory_order_relaxed);
  while (held < limit_.load(std::memory_order_relaxed)) {
    if (held_.compare_exchange_weak(held, held + 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

bool Permits::any_left() const { return held() + waiting() < limit(); }

bool Permits::acquire(std::int64_t timeout_ns) {
  if (try_take()) return true;
  std::int64_t began = base::now_ns(), end = began + timeout_ns;
  sleepers_.fetch_add(1);
  tell_crowded();
  bool taken = false, slept = false;
  while (!taken) {
    std::uint32_t turn = turn_.load();
    if ((taken = (slept && take_handed()) || try_take())) break;
    std::int64_t left = end - base::now_ns();
    if (left <= 0) {
      // While permits come back nothing is stuck: the bound is against a wait for ever, not against a slow device.
      end = moved_ns_.load(std::memory_order_relaxed) + timeout_ns;
      left = end - base::now_ns();
      if (left <= 0 || base::now_ns() - began > most_extensions * timeout_ns) break;
    }
    sys::futex_wait(turn_, turn, left);
    slept = true;
  }
  bool last = sleepers_.fetch_sub(1) == 1;
  return taken || (last && take_handed());
}

bool Permits::take_handed() {
  std::uint32_t handed = handed_.load();
  while (handed > 0) {
    if (handed_.compare_exchange_weak(handed, handed - 1)) return true;
  }
  return false;
}

// Those that take turns would go on until their work is done, and leave a sleeping thread its own share of a loop to do alone
// then: now and then a permit is put by for who has slept. It counts as held.
bool Permits::hands_over() {
  if ((returns_.fetch_add(1, std::memory_order_relaxed) + 1) % between_turns != 0) return false;
  if (handed_.load() > 0 || !try_take()) return false;
  handed_.fetch_add(1);
  if (sleepers_.load() == 0 && take_handed()) {  // the last sleeper may have left before it was there to be seen
    held_.fetch_sub(1);
    return false;
  }
  wake_one();
  return true;
}

void Permits::wake_one() {
  turn_.fetch_add(1);
  sys::futex_wake(turn_);
}

bool Permits::admit(op::Request& request) {
  lock_.lock();
  bool taken = queue_.empty() && try_take();
  if (!taken) {
    request.time[0] = base::now_ns();  // its own timeout, if any, is set at submit
    queue_.push(&request);
    queued_.fetch_add(1);
    // A permit given back between try_take and here found an empty queue: look once more, now that we are in it.
    // With others before us that is not needed: whoever gave the permit back saw them.
    if (queue_.first() == &request) taken = pop_locked() != nullptr;
  }
  lock_.unlock();
  if (!taken) tell_crowded();
  return taken;
}

bool Permits::withdraw(op::Request& request) {
  if (queued_.load() == 0) return false;
  sys::LockScope locked(lock_);
  if (!queue_.remove(&request)) return false;
  queued_.fetch_sub(1);
  return true;
}

// The longest waiting request with a permit of its own, if both are to be had.
op::Request* Permits::pop_locked() {
  if (queue_.empty() || !try_take()) return nullptr;
  queued_.fetch_sub(1);
  return static_cast<op::Request*>(queue_.pop());
}

// Whoever gives a permit back is likely to want one again in a moment, and finds it with no call into the kernel. To wake
// another each time costs more than many a read: only when few are held does another thread join those that take turns.
std::int64_t Permits::few() const {
  std::int64_t limit = this->limit();
  return limit - limit / 8;
}

op::Request* Permits::release() {
  std::int64_t held = held_.fetch_sub(1) - 1;  // seq_cst, as queued_: see admit()
  bool queued = anyone_queued(), slept = sleepers_.load() > 0;
  if (queued || slept) moved_ns_.store(base::now_ns(), std::memory_order_relaxed);
  if (slept && hands_over()) return nullptr;
  if (!slept && take_handed()) held_.fetch_sub(1);  // put by for one that found another
  if (queued_.load() > 0) {
    if (op::Request* next = raised()) return next;
  }
  if (slept && held < few()) wake_one();
  return nullptr;
}

op::Request* Permits::raised() {
  lock_.lock();
  op::Request* next = pop_locked();
  lock_.unlock();
  return next;
}

op::Request* Permits::overdue(std::int64_t now_ns, std::int64_t timeout_ns) {
  if (queued_.load() == 0) return nullptr;
  op::Request* late = nullptr;
  lock_.lock();
  auto* first = static_cast<op::Request*>(queue_.first());
  if (first && first->time[0] < now_ns - timeout_ns && lets_through_locked(now_ns, timeout_ns)) {
    late = static_cast<op::Request*>(queue_.pop());
    queued_.fetch_sub(1);
    held_.fetch_add(1);  // over the limit, and given back like any other
  }
  lock_.unlock();
  return late;
}

bool Permits::lets_through_locked(std::int64_t now_ns, std::int64_t timeout_ns) {
  std::int64_t moved_ns = moved_ns_.load(std::memory_order_relaxed);
  bool still = moved_ns < let_through_ns_;  // nothing came back since the last were let through
  if (std::max(moved_ns, let_through_ns_) < now_ns - timeout_ns) {
    most_let_through_ = still ? std::min(2 * most_let_through_, limit()) : 1;
    left_to_let_through_ = most_let_through_;
    let_through_ns_ = now_ns;
  } else if (!still) {
    return false;
  }
  if (left_to_let_through_ == 0) return false;
  --left_to_let_through_;
  return true;
}

void Permits::set_limit(std::int64_t limit) {
  limit_.store(limit < 1 ? 1 : limit);
  turn_.fetch_add(1);
  sys::futex_wake(turn_, 1 << 30);
}

void Permits::after_fork() {
  held_.store(0);
  queued_.store(0);
  sleepers_.store(0);
  handed_.store(0);
  lock_.after_fork();
  queue_ = {};
}

}  // namespace weir::gate
