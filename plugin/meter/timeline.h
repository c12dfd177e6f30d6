// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::meter {

// What a process did over time: at most so many points over the whole run, however long it is. When they are full, each
// two become one of twice the length: thinned, never cut.
class Timeline {
 public:
  struct Point {
    double t_s = 0;    // where it ends
    double dt_s = 0;   // how long it is
    double in_flight = 0, permits = 0, suspended = 0, parked = 0;  // at its end; of merged ones the mean over time
    double cores_busy = 0, ops_per_s = 0, bytes_per_s = 0, calls_per_s = 0;  // means over it
    const char* state = "";  // a literal: the later one's
  };
  static constexpr int most = 512;

  void add(const Point& point);  // shorter ones than distance_s() are merged into the last
  int count() const { return count_; }
  double distance_s() const { return distance_s_; }
  const Point& operator[](int i) const { return points_[i]; }
  void reset() { *this = Timeline(); }

 private:
  void thin();

  Point points_[most];
  int count_ = 0;
  double distance_s_ = 0.01;
};

Timeline::Point merged(const Timeline::Point& first, const Timeline::Point& second);

}  // namespace weir::meter
