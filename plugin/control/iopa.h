// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/sample.h"

namespace weir::control {

// What the published algorithm (IOPA: Liu, Liu, Qian, Qian, 2017) leaves open. Its thresholds are not in the paper's
// text; these lost least in simulation.
struct IopaTuning {
  double init_share = 0.3;          // of the cores: init_thread_num
  double fast_share = 0.9;          // of the cores: fastmode_thread_num
  int init_threads = 0;             // > 0: instead of the shares
  int fast_threads = 0;
  double increase_threshold = 1.01;
  double decrease_threshold = 0.95;
  double fast_cycle_s = 5;
  double normal_cycle_s = 10;
  double hold_cycle_s = 30;
  int previous_average_num = 3;
};

// IOPA as published: throughput of this cycle over that of the last ones decides, to compare with and to reproduce.
//
//   fast (doubles while it pays, up to fast_threads) --> normal (one up, or one down and then) --> hold --> normal
class Iopa {
 public:
  explicit Iopa(const Bounds& bounds = {}, const IopaTuning& tuning = {});
  int step(const Sample& sample);
  void resume() {}

  int limit() const { return k_; }
  State state() const { return state_; }
  const char* reason() const { return reason_; }
  double patience_s() const { return 0.5; }

 private:
  void cycle_over(double throughput);
  double average() const;
  void keep(double throughput);
  void move(int k, const char* reason);

  static constexpr int most_kept = 16;
  Bounds bounds_;
  IopaTuning tuning_;
  State state_ = State::fast;
  const char* reason_ = "start";
  int k_ = 1, fast_most_ = 1;
  double seconds_ = 0, bytes_ = 0;
  double kept_[most_kept] = {};  // throughput of the cycles before
  int count_ = 0, next_ = 0;
};

}  // namespace weir::control
