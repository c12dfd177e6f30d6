// SPDX-License-Identifier: Apache-2.0
#include "control/iopa.h"

namespace weir::control {
namespace {
int at_least_1(double x) { return x < 1 ? 1 : static_cast<int>(x); }
}  // namespace

Iopa::Iopa(const Bounds& bounds, const IopaTuning& tuning) : bounds_(bounds), tuning_(tuning) {
  if (tuning_.previous_average_num < 1) tuning_.previous_average_num = 1;
  if (tuning_.previous_average_num > most_kept) tuning_.previous_average_num = most_kept;
  int init = tuning_.init_threads > 0 ? tuning_.init_threads : at_least_1(tuning_.init_share * bounds_.cores + 0.9999);
  fast_most_ = tuning_.fast_threads > 0 ? tuning_.fast_threads : at_least_1(tuning_.fast_share * bounds_.cores);
  move(init, "start");
}

void Iopa::move(int k, const char* reason) {
  k_ = k < 1 ? 1 : k > bounds_.most ? bounds_.most : k;
  reason_ = reason;
}

int Iopa::step(const Sample& sample) {
  if (!(sample.dt_s > 0) || sample.dt_s > 5) return k_;
  seconds_ += sample.dt_s;
  bytes_ += sample.bytes;
  double cycle = state_ == State::fast ? tuning_.fast_cycle_s
                 : state_ == State::hold ? tuning_.hold_cycle_s
                                         : tuning_.normal_cycle_s;
  if (seconds_ < cycle - 1e-4) return k_;
  cycle_over(bytes_ / seconds_);
  seconds_ = bytes_ = 0;
  return k_;
}

void Iopa::keep(double throughput) {
  kept_[next_] = throughput;
  next_ = (next_ + 1) % tuning_.previous_average_num;
  if (count_ < tuning_.previous_average_num) ++count_;
}

double Iopa::average() const {
  double sum = 0;
  for (int i = 0; i < count_; ++i) sum += kept_[i];
  return count_ ? sum / count_ : 0;
}

void Iopa::cycle_over(double throughput) {
  if (state_ == State::hold) {
    state_ = State::normal;
    reason_ = "hold is over";
    count_ = next_ = 0;
    return keep(throughput);
  }
  if (state_ == State::fast) {
    double last = count_ ? kept_[(next_ + tuning_.previous_average_num - 1) % tuning_.previous_average_num] : 0;
    bool pays = !count_ || throughput > tuning_.increase_threshold * last;
    keep(throughput);
    if (pays && k_ < fast_most_) return move(2 * k_ < fast_most_ ? 2 * k_ : fast_most_, "it pays");
    state_ = State::normal;
    reason_ = pays ? "as many as fast mode may" : "no further gain";
    return;
  }
  double before = average();
  keep(throughput);
  if (before <= 0) return;
  if (throughput > tuning_.increase_threshold * before) return move(k_ + 1, "above the average");
  if (throughput >= tuning_.decrease_threshold * before) return;
  move(k_ - 1, "below the average");
  state_ = State::hold;
}

}  // namespace weir::control
