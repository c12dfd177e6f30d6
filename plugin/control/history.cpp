// SPDX-License-Identifier: Apache-2.0
#include "control/history.h"

namespace weir::control {

void History::add(double t_s, const Sample& sample, int limit, State state) {
  seconds_ += sample.dt_s;
  ops_ += sample.ops;
  bytes_ += sample.bytes;
  if (seconds_ < distance_s_ - 1e-4) return;
  if (count_ == most) thin();
  points_[count_++] = {t_s, bytes_ / seconds_, ops_ / seconds_, limit, state};
  seconds_ = ops_ = bytes_ = 0;
}

// Two points become one: rates averaged, the later limit kept.
void History::thin() {
  for (int i = 0; i < most / 2; ++i) {
    const Point &first = points_[2 * i], second = points_[2 * i + 1];
    points_[i] = {second.t_s, (first.bytes_per_s + second.bytes_per_s) / 2, (first.ops_per_s + second.ops_per_s) / 2,
                  second.limit, second.state};
  }
  count_ = most / 2;
  distance_s_ *= 2;
}

}  // namespace weir::control
