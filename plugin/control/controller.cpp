// SPDX-License-Identifier: Apache-2.0
#include "control/controller.h"

#include "control/math.h"

namespace weir::control {
namespace {
// A longer one comes to the device in parts, one or two at a time.
constexpr double longest_kib = 256;
}

Controller::Controller(Algorithm algorithm, const Bounds& bounds, const Tuning& tuning, const IopaTuning& iopa)
    : algorithm_(algorithm), bounds_(bounds), tuning_(tuning), iopa_(bounds, iopa) {}

// The region's slot; else a free one; else that which has not run for longest.
Controller::Slot& Controller::slot_for(const Sample& sample) {
  Slot* oldest = &slots_[0];
  for (Slot& slot : slots_) {
    if (slot.used && slot.region == sample.region) return slot;
    if (slot.used < oldest->used) oldest = &slot;
  }
  Bounds bounds = bounds_;
  bounds.start = start_for(bounds_, sample.ops, sample.bytes);
  oldest->region = sample.region;
  oldest->core = Core(bounds, tuning_);
  return *oldest;
}

Decision Controller::step(const Sample& raw) {
  Sample sample = as_logged(raw);
  if (algorithm_ == Algorithm::iopa) {
    int limit = iopa_.step(sample);
    return {limit, iopa_.state(), iopa_.reason()};
  }
  Slot& slot = slot_for(sample);
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

int start_for(const Bounds& bounds, double ops, double bytes) {
  double each_kib = ops >= 1 ? smaller(bytes / 1024 / ops, longest_kib) : 0;
  if (!bounds.start_kib || each_kib * bounds.start <= bounds.start_kib) return bounds.start;
  return static_cast<int>(larger(bounds.start_kib / each_kib, 1));
}

int least_start(const Bounds& bounds) { return start_for(bounds, 1, longest_kib * 1024); }

int first_limit(Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa) {
  return algorithm == Algorithm::iopa ? Iopa(bounds, iopa).limit() : Core(bounds).limit();
}

}  // namespace weir::control
