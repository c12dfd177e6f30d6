// SPDX-License-Identifier: Apache-2.0
#include "control/controller.h"

namespace weir::control {

Controller::Controller(Algorithm algorithm, const Bounds& bounds, const Tuning& tuning, const IopaTuning& iopa)
    : algorithm_(algorithm), bounds_(bounds), tuning_(tuning), iopa_(bounds, iopa) {}

// The region's slot; else a free one; else that which has not run for longest.
Controller::Slot& Controller::slot_for(std::uint64_t region) {
  Slot* oldest = &slots_[0];
  for (Slot& slot : slots_) {
    if (slot.used && slot.region == region) return slot;
    if (slot.used < oldest->used) oldest = &slot;
  }
  oldest->region = region;
  oldest->core = Core(bounds_, tuning_);
  return *oldest;
}

Decision Controller::step(const Sample& raw) {
  Sample sample = as_logged(raw);
  if (algorithm_ == Algorithm::iopa) {
    int limit = iopa_.step(sample);
    return {limit, iopa_.state(), iopa_.reason()};
  }
  Slot& slot = slot_for(sample.region);
  slot.used = ++turn_;
  if (current_ != &slot) slot.core.resume();
  current_ = &slot;
  int limit = slot.core.step(sample);
  return {limit, slot.core.state(), slot.core.reason()};
}

double Controller::patience_s() const {
  if (algorithm_ == Algorithm::iopa) return iopa_.patience_s();
  return current_ ? current_->core.patience_s() : 0.05;
}

int first_limit(Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa) {
  return algorithm == Algorithm::iopa ? Iopa(bounds, iopa).limit() : Core(bounds).limit();
}

}  // namespace weir::control
