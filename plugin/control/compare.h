// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/block.h"
#include "control/sample.h"

namespace weir::control {

// How sure a comparison has to be, and how much it may cost.
struct Precision {
  int pairs_min, pairs_max;
  double z;            // standard errors between the estimate and the threshold
  double z_at_end;     // the same, when pairs or time are used up
  double cap_s;
  double block_ops;    // operations a block should see
  double block_least_s, block_most_s;
  bool early;          // two pairs far out on one side are enough
};
constexpr Precision quick{3, 16, 2, 0.5, 3, 12, 0.05, 1.5, true};
constexpr Precision thorough{4, 20, 2, 1.5, 10, 60, 0.1, 2, false};

enum class Verdict : std::uint8_t { open, up, down, none, no_info };
const char* name_of(Verdict verdict);

// Which of two levels gives more? Blocks at a and b in pairs, a b, b a, a b ...: what drifts cancels.
//
//   begin() -> open --step() with each sample--> up: b gives at least what it must; down: it does not; none: can't tell;
//                                                no_info: the limit does not bind, throughput says nothing about it
class Compare {
 public:
  // b must give exp(theta) times what a gives. `spread`: of a pair's difference, as far as known. `rate`: operations a
  // second at present, 0: unknown.
  void begin(int a, int b, double theta, const Precision& precision, double spread, double rate);
  Verdict step(const Sample& sample);
  void interrupt() { block_.interrupt(); }

  int k() const { return on_b() ? b_ : a_; }  // the level to be set now
  int a() const { return a_; }
  int b() const { return b_; }
  double gain() const { return gain_; }       // estimate of ln(rate at b / rate at a)
  double error() const { return error_; }
  double spread() const { return spread_; }   // of a pair, with what was seen now
  int pairs() const { return count_; }
  double ln_rate_a() const;                   // mean over the blocks at a
  bool idle() const { return idle_; }         // paused: the last pair said that demand is lacking
  double cpu() const { return cpu_; }

 private:
  static constexpr int most_pairs = 24;
  bool on_b() const { return second_ != swapped_; }
  void begin_block();
  void close_pair();
  bool demand_lacks() const;
  bool stalled() const;
  void estimate();
  bool plant_changed() const;
  void drop_earlier();
  Verdict judge();
  bool both_last_far() const;

  int a_ = 1, b_ = 2;
  double theta_ = 0, prior_ = 0.15, spread_ = 0.15, rate_ = 0;
  Precision precision_ = quick;
  Block block_, first_;
  bool second_ = false, swapped_ = false, begun_ = false, idle_ = false;
  int count_ = 0, skipped_ = 0, restarts_ = 0;
  double elapsed_ = 0, gain_ = 0, error_ = 1, cpu_ = 0;
  double ops_a_ = 0, ops_b_ = 0;
  double ya_[most_pairs] = {}, yb_[most_pairs] = {};        // ln operations a second
  double za_[most_pairs] = {}, zb_[most_pairs] = {};        // ln bytes a second
  double oa_[most_pairs] = {}, ob_[most_pairs] = {};        // operations
};

}  // namespace weir::control
