// SPDX-License-Identifier: Apache-2.0
#include "control/watch.h"

#include "control/math.h"

namespace weir::control {
namespace {
constexpr double window_s = 0.5, window_most_s = 3, window_ops = 12;
constexpr double drift = 0.75, alarm = 8, clip = 5, least_change = 0.08;
constexpr double mean_gain = 0.03, deviation_gain = 0.02, deviation_least = 0.02;

double median_of_4(const double* x) {
  double low = x[0], high = x[0], sum = 0;
  for (int i = 0; i < 4; ++i) {
    low = smaller(low, x[i]);
    high = larger(high, x[i]);
    sum += x[i];
  }
  return (sum - low - high) / 2;
}
}  // namespace

void Watch::begin(int k, double spread) {
  *this = {};
  k_ = k;
  spread_ = spread;
}

Watch::News Watch::add(const Sample& sample) {
  if (!settled_) {
    settled_ = magnitude(sample.level - k_) < 0.6 || ++waited_ > 12;
    if (!settled_) return News::none;
  }
  seconds_ += sample.dt_s;
  ops_ += sample.ops;
  busy_ += sample.busy * sample.dt_s;
  bool enough = ops_ >= window_ops && seconds_ >= window_s - 1e-4;
  if (!enough && seconds_ < window_most_s) return News::none;
  News news = close_window();
  seconds_ = ops_ = busy_ = 0;
  return news;
}

Watch::News Watch::close_window() {
  if (busy_ / seconds_ < 0.6 * k_) {
    idle_s_ += seconds_;
    return News::none;
  }
  idle_s_ = 0;
  if (ops_ < 0.5) return News::none;  // a device that is away is no reason to change the level
  double y = natural_log((ops_ + 0.5) / seconds_);
  if (count_ >= baseline_windows) return follow(y);
  first_[count_++] = y;
  if (count_ < baseline_windows) return News::none;
  mean_ = median_of_4(first_);
  deviation_ = larger(larger(spread_ / 1.41421356, deviation_least), 1 / square_root(ops_ + 1));
  for (double& last : last_) last = mean_;
  return News::baseline;
}

Watch::News Watch::follow(double y) {
  last_[0] = last_[1];
  last_[1] = last_[2];
  last_[2] = y;
  double off = y - mean_;
  double z = smaller(larger(off / deviation_, -clip), clip);
  above_ = larger(0, above_ + z - drift);
  below_ = larger(0, below_ - z - drift);
  bool all_above = true, all_below = true;
  for (double last : last_) {
    all_above = all_above && last - mean_ > least_change;
    all_below = all_below && mean_ - last > least_change;
  }
  if (above_ > alarm && all_above) return News::rose;
  if (below_ > alarm && all_below) return News::fell;
  mean_ += mean_gain * off;
  deviation_ = larger(deviation_ + deviation_gain * (1.25 * magnitude(off) - deviation_), deviation_least);
  return News::none;
}

}  // namespace weir::control
