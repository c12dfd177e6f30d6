// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "control/chain.h"
#include "control/compare.h"
#include "control/sample.h"
#include "control/watch.h"

namespace weir::control {

// The numbers of the algorithm, all in one place. docs/controller.md says what each is for.
struct Tuning {
  double elasticity = 0.04;       // ln of throughput that a move must give per ln of concurrency
  double good_enough = 0.01;      // the smallest level within this of the best is taken
  double start_share = 0.3;       // of the cores, but at least start_least
  int start_least = 8;
  double step = 1.25;             // of normal mode
  double clear_gain = 0.25;       // of fast mode upward, as ln: more, and the other side need not be looked at
  double look_past = -0.25;       // a loss up to this does not forbid one look further
  double hold_s = 15, hold_least_s = 8, hold_most_s = 60, hold_after_alarm_s = 16;
  int jump_every = 2;             // expiries of hold
  double guard_s = 4, guard_loss = 0.03;
  double carry_over_s = 90, carry_over = 0.15;
};

// Finds how much I/O to have under way, for one region. A pure function of state and samples: no clock, no thread, no
// lock, no allocation; the same samples give the same limits.
//
//   fast ----best known, or no gain----> normal ----both sides fail----> hold
//    ^                                     ^                              |  expired: sometimes a far jump first
//    |                                     +------------------------------+
//    +-- a direction pays -- relocate <----------- throughput changed ----+
//                               +----- none pays: keep k, hold
class Core {
 public:
  explicit Core(const Bounds& bounds = {}, const Tuning& tuning = {});
  int step(const Sample& sample);  // the limit from now on, in [1, most]
  void resume();                   // the region runs again after another one did

  int limit() const;
  State state() const { return state_; }
  const char* reason() const { return reason_; }  // of the last change of state or level; a literal
  // Seconds until the next sample is of use: short while probing, long in hold or while nothing is wanted.
  double patience_s() const;

 private:
  static constexpr double unknown = -1e30;
  static constexpr int most_levels = 8;

  void begin_fast(int k, int direction, const char* reason);  // direction 0: up, then down
  void fast_next(int cur);
  void fast_from_gain(const char* reason);
  void on_fast(Verdict verdict);
  void fast_turn();
  void fast_done(const char* reason);
  void begin_normal(const char* reason);
  void normal_next();
  void on_normal(Verdict verdict);
  void normal_done(const char* reason);
  void begin_hold(double seconds, const char* reason);
  void in_hold(const Sample& sample);
  void hold_expired();
  void on_check(Verdict verdict);  // of a far look, or of the guard
  void remember_level();
  double level_of(int k) const;    // ln of the rate that k gave lately, or unknown
  bool changed_since_held(double ln_rate) const;
  void begin_relocate(int sign, const char* reason);
  void relocate_next(const char* reason);
  void on_relocate(Verdict verdict);
  void ask(int a, int b, const Precision& precision);
  void move(int k, const char* reason);
  int within(double k, int a) const;
  int cap(int from) const;

  Bounds bounds_;
  Tuning tuning_;
  State state_ = State::fast;
  const char* reason_ = "start";
  int k_ = 1;
  Compare compare_;
  bool comparing_ = false;
  double clock_s_ = 0;
  double spread_ = 0.15;   // of a pair's difference, from all comparisons so far
  double rate_ = 0;        // operations a second of late
  double cpu_ = 0;         // cores that a worker keeps busy

  // fast
  Chain chain_;
  int ref_ = 1, from_ = 1, direction_ = 1, looks_ = 1;
  bool both_ways_ = true, gained_ = false;

  // normal
  int side_ = 1, streak_ = 0, entered_at_ = 1;
  bool tried_up_ = false, tried_down_ = false;

  // hold
  Watch watch_;
  double hold_s_ = 15, until_s_ = 0, held_since_s_ = 0;
  unsigned expiries_ = 0, jumps_ = 0;
  bool expired_once_ = false, jumping_ = false, guarding_ = false, guard_open_ = false;
  Level previous_;             // what was held before the move
  Level levels_[most_levels];
  int next_level_ = 0;

  // relocate
  int sign_ = -1, tries_ = 0, before_relocation_ = 1;
  bool relocating_ = false;    // fast mode was entered from here
};

}  // namespace weir::control
