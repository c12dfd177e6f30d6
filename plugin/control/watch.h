// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/sample.h"

namespace weir::control {

// A level, and what it gave when it was last held.
struct Level {
  int k = 0;
  double ln_rate = 0;
  double at_s = -1e9;
};

// Watches throughput while the limit is held, and says when it has changed for good.
//
//   baseline: four windows --> following: cumulative sums of what is above and below --> alarm
// Windows in which the limit does not bind say nothing and are left out.
class Watch {
 public:
  enum class News { none, baseline, rose, fell };

  void begin(int k, double spread);
  void interrupt() { settled_ = false, waited_ = 0; }
  News add(const Sample& sample);

  bool knows() const { return count_ >= baseline_windows; }  // is there a baseline?
  double ln_rate() const { return mean_; }
  double idle_s() const { return idle_s_; }  // how long, up to now, the limit has not bound

 private:
  static constexpr int baseline_windows = 4;
  News close_window();
  News follow(double y);

  int k_ = 1;
  bool settled_ = false;
  int waited_ = 0;
  double spread_ = 0.15;
  double seconds_ = 0, ops_ = 0, busy_ = 0, idle_s_ = 0;
  int count_ = 0;
  double first_[baseline_windows] = {};
  double last_[3] = {};
  double mean_ = 0, deviation_ = 0.1, above_ = 0, below_ = 0;
};

}  // namespace weir::control
