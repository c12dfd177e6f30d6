// SPDX-License-Identifier: Apache-2.0
#include "gate/connecting.h"

#include <algorithm>

#include "base/clock.h"
#include "sys/futex.h"

namespace weir::gate {

constinit Connecting connecting;

std::int64_t Connecting::limit(std::int64_t cores) const {
  constexpr std::int64_t at_first_a_core = 8;
  return std::min<std::int64_t>(at_first_a_core * std::max<std::int64_t>(cores, 1) + more_, most);
}

Connecting::New* Connecting::find(Turn turn) {
  New* found = std::find_if(all_, all_ + count_, [turn](const New& one) { return one.turn == turn; });
  return found == all_ + count_ ? nullptr : found;
}

Connecting::Turn Connecting::begin(std::int64_t cores) {
  constexpr std::int64_t longest_ns = 4 * base::ns_per_s;
  sys::LockScope hold(lock_);
  std::int64_t left_ns = longest_ns;
  for (std::int64_t end_ns = 0; left_ns > 0 && count_ >= limit(cores);) {
    if (!end_ns) end_ns = base::now_ns() + longest_ns;
    std::uint32_t seen = changed_.load(std::memory_order_relaxed);
    ++waiting_;
    lock_.unlock();
    sys::futex_wait(changed_, seen, left_ns);
    left_ns = end_ns - base::now_ns();
    lock_.lock();
    --waiting_;
  }
  ++last_;
  if (count_ < most) all_[count_++] = {last_, false};
  return last_;
}

void Connecting::made(Turn turn, std::int64_t took_ns) {
  constexpr std::int64_t tried_again_ns = 500 * base::ns_per_ms;
  constexpr int may_overtake = 2;
  sys::LockScope hold(lock_);
  New* mine = find(turn);
  if (!mine) return;
  mine->made = true;
  auto overtaken = [turn](const New& other) { return !other.made && other.turn < turn; };
  if (took_ns > tried_again_ns || std::count_if(all_, all_ + count_, overtaken) > may_overtake) return;
  ++more_;
  let_another_begin();
}

void Connecting::over(Turn turn) {
  sys::LockScope hold(lock_);
  New* mine = find(turn);
  if (!mine) return;
  *mine = all_[--count_];
  let_another_begin();
}

void Connecting::let_another_begin() {
  if (waiting_ == 0) return;
  changed_.fetch_add(1, std::memory_order_relaxed);
  sys::futex_wake(changed_);
}

// Those of the parent's that were at it are not here.
void Connecting::after_fork() {
  lock_.after_fork();
  count_ = waiting_ = 0;
}

}  // namespace weir::gate
