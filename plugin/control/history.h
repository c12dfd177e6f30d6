// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/sample.h"

namespace weir::control {

// What the limit was over time, and what it gave: as many points as fit, closer together in a short run than in a long
// one. When it is full every second point is dropped and the distance doubles.
class History {
 public:
  struct Point {
    double t_s = 0;
    double bytes_per_s = 0;
    double ops_per_s = 0;
    int limit = 0;
    State state = State::fast;
  };
  static constexpr int most = 240;

  void add(double t_s, const Sample& sample, int limit, State state);
  int count() const { return count_; }
  const Point& operator[](int i) const { return points_[i]; }

 private:
  void thin();

  Point points_[most];
  int count_ = 0;
  double distance_s_ = 0.1;
  double seconds_ = 0, ops_ = 0, bytes_ = 0;  // since the last point
};

}  // namespace weir::control
