// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/turns.h"

namespace weir::tbb {
namespace {

// Each thread of an arena finds one, however many there are at a time that had none.
constexpr int most_told = 64;

}  // namespace

// Under the lock.
Turns::Ready* Turns::next_to_tell() {
  if (!first_ || told_ >= most_told) return nullptr;
  Ready* next = first_;
  first_ = next->next;
  ++told_;
  return next;
}

void Turns::add(Ready& one) {
  Ready* next;
  {
    std::lock_guard locked(lock_);
    if (first_) last_->next = &one;
    else first_ = &one;
    last_ = &one;
    next = next_to_tell();
  }
  if (next) ::tbb::task::resume(next->point);
}

void Turns::one_goes_on() {
  Ready* next;
  {
    std::lock_guard locked(lock_);
    --told_;
    ++gone_on_;
    next = next_to_tell();
  }
  if (next) ::tbb::task::resume(next->point);
}

bool Turns::are_stuck() {
  std::lock_guard locked(lock_);
  bool none = gone_on_ == seen_;
  seen_ = gone_on_;
  return told_ && none;
}

bool Turns::one_has_gone_on() {
  std::lock_guard locked(lock_);
  return gone_on_ != seen_;
}

}  // namespace weir::tbb
