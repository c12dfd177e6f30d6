// SPDX-License-Identifier: Apache-2.0
#include "meter/timeline.h"

#include <initializer_list>

namespace weir::meter {

Timeline::Point merged(const Timeline::Point& first, const Timeline::Point& second) {
  Timeline::Point both = second;
  both.dt_s = first.dt_s + second.dt_s;
  if (both.dt_s <= 0) return both;
  using Figure = double Timeline::Point::*;
  using P = Timeline::Point;
  for (Figure figure : {&P::in_flight, &P::permits, &P::suspended, &P::parked, &P::cores_busy, &P::ops_per_s,
                        &P::bytes_per_s, &P::calls_per_s})
    both.*figure = (first.*figure * first.dt_s + second.*figure * second.dt_s) / both.dt_s;
  return both;
}

void Timeline::add(const Point& point) {
  if (count_ && points_[count_ - 1].dt_s + point.dt_s <= distance_s_) {
    points_[count_ - 1] = merged(points_[count_ - 1], point);
    return;
  }
  if (count_ == most) thin();
  points_[count_++] = point;
}

void Timeline::thin() {
  for (int i = 0; i < most / 2; ++i) points_[i] = merged(points_[2 * i], points_[2 * i + 1]);
  count_ = most / 2;
  distance_s_ *= 2;
}

}  // namespace weir::meter
