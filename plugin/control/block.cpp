// SPDX-License-Identifier: Apache-2.0
#include "control/block.h"

#include "control/math.h"

namespace weir::control {
namespace {
constexpr double close_enough = 0.6;
constexpr int most_ticks_to_settle = 12;
}  // namespace

void Block::begin(int k, double seconds, bool settled) {
  *this = {};
  k_ = k;
  wanted_s_ = seconds;
  settled_ = settled;
}

void Block::interrupt() {
  settled_ = false;
  waited_ = 0;
}

bool Block::settles(const Sample& sample) {
  if (magnitude(sample.level - k_) < close_enough) return settled_ = true;
  return settled_ = ++waited_ > most_ticks_to_settle;
}

bool Block::add(const Sample& sample) {
  if (!settled_ && !settles(sample)) return false;
  seconds_ += sample.dt_s;
  ops_ += sample.ops;
  bytes_ += sample.bytes;
  busy_ += sample.busy * sample.dt_s;
  cpu_ += sample.cpu * sample.dt_s;
  if (enough_ops_ > 0 && ops_ >= enough_ops_ && seconds_ >= least_s_ - 1e-4) return true;
  return seconds_ >= wanted_s_ - 1e-4;
}

// Half an operation is added so that a block without any still has a logarithm.
double Block::ln_ops_rate() const { return natural_log((ops_ + 0.5) / larger(seconds_, 1e-6)); }

double Block::ln_bytes_rate() const {
  double one = ops_ > 0 ? bytes_ / ops_ : 1;
  return natural_log((bytes_ + 0.5 * one + 1e-9) / larger(seconds_, 1e-6));
}

}  // namespace weir::control
