// SPDX-License-Identifier: Apache-2.0
#include "control/core.h"

#include "control/math.h"

namespace weir::control {

Core::Core(const Bounds& bounds, const Tuning& tuning) : bounds_(bounds), tuning_(tuning) {
  if (bounds_.cores < 1) bounds_.cores = 1;
  if (bounds_.most < 1) bounds_.most = 1;
  hold_s_ = tuning_.hold_s;
  int k = static_cast<int>(tuning_.start_share * bounds_.cores + 0.9999);
  if (k < tuning_.start_least) k = tuning_.start_least;
  k_ = within(bounds_.start > 0 ? bounds_.start : k, 0);
  begin_fast(k_, 0, "start");
}

int Core::limit() const { return comparing_ ? compare_.k() : k_; }

double Core::patience_s() const {
  constexpr double short_s = 0.05, long_s = 0.5;
  return comparing_ && !compare_.idle() ? short_s : long_s;
}

// A level between 1 and most, and at least one away from `a` where that is possible.
int Core::within(double k, int a) const {
  int whole = static_cast<int>(k + 0.5);
  if (a && whole == a) whole += k > a ? 1 : -1;
  if (whole < 1) whole = 1;
  return whole > bounds_.most ? bounds_.most : whole;
}

// How far up it may go from a level: more workers than the cores can feed add nothing.
int Core::cap(int from) const {
  double share = cpu_;  // cores a worker keeps busy
  double p = bounds_.cores;
  int most = bounds_.most;
  if (share * from >= 0.95 * p) {
    int now = from > bounds_.cores ? from : bounds_.cores;
    return now < most ? now : most;
  }
  if (share > 0.02) {
    int fed = static_cast<int>(p / share + 0.1);
    if (fed < most) most = fed;
  }
  return most;
}

void Core::move(int k, const char* reason) {
  k_ = k;
  reason_ = reason;
}

void Core::ask(int a, int b, const Precision& precision) {
  double theta = tuning_.elasticity * natural_log(static_cast<double>(b) / a);
  compare_.begin(a, b, theta, precision, spread_, rate_);
  comparing_ = true;
}

void Core::resume() {
  compare_.interrupt();
  watch_.interrupt();
}

int Core::step(const Sample& sample) {
  // A clock that jumped, or a process that was stopped: nothing to learn from.
  if (!(sample.dt_s > 0) || sample.dt_s > 5) {
    resume();
    return limit();
  }
  clock_s_ += sample.dt_s;
  double follow = smaller(1, sample.dt_s / 0.5);
  rate_ += follow * (sample.ops / sample.dt_s - rate_);
  if (sample.level >= 0.5) cpu_ += follow * (sample.cpu / sample.level - cpu_);
  if (comparing_) {
    Verdict verdict = compare_.step(sample);
    if (verdict != Verdict::open) {
      comparing_ = false;
      if (compare_.pairs() >= 3) spread_ = 0.7 * spread_ + 0.3 * compare_.spread();
      if (guarding_ || jumping_) on_check(verdict);
      else if (state_ == State::fast) on_fast(verdict);
      else if (state_ == State::normal) on_normal(verdict);
      else on_relocate(verdict);
    }
  } else {
    in_hold(sample);
  }
  return limit();
}

// ---- fast: double, or halve, while it pays

void Core::begin_fast(int k, int direction, const char* reason) {
  state_ = State::fast;
  reason_ = reason;
  chain_.begin(k);
  from_ = ref_ = k;
  both_ways_ = direction == 0;
  direction_ = direction < 0 ? -1 : 1;
  gained_ = false;
  looks_ = 1;
  fast_next(k);
}

// One doubling, or halving, from `cur`, compared with the best so far; or the end where there is no further to go.
void Core::fast_next(int cur) {
  int to = direction_ > 0 ? within(smaller(2.0 * cur, cap(cur)), 0) : within(cur / 2.0, cur);
  if (direction_ > 0 ? to <= cur : to >= cur) return fast_turn();
  ask(ref_, to, quick);
}

void Core::on_fast(Verdict verdict) {
  if (verdict == Verdict::no_info) return fast_done("callers are few");
  int to = compare_.b();
  chain_.add(ref_, to, compare_.gain());
  if (verdict == Verdict::up) {
    ref_ = to;
    gained_ = true;
    move(to, "it pays");
    return fast_next(to);
  }
  if (looks_ > 0 && compare_.gain() > tuning_.look_past) {
    --looks_;
    reason_ = "one look past a plateau";
    return fast_next(to);
  }
  fast_turn();
}

void Core::fast_turn() {
  // A small gain may be noise on a plateau: then the other side is looked at too.
  bool clear = gained_ && chain_.gain() > tuning_.clear_gain;
  if (!both_ways_ || direction_ < 0 || clear) return fast_done("no further gain");
  direction_ = -1;
  looks_ = 1;
  ref_ = from_;
  reason_ = "more pays little: is less enough?";
  fast_next(from_);
}

void Core::fast_done(const char* reason) {
  move(chain_.choose(tuning_.good_enough), reason);
  if (!relocating_) return begin_normal(reason);
  relocating_ = false;
  bool moved = magnitude(natural_log(static_cast<double>(k_) / before_relocation_)) > 0.1;
  if (moved) return begin_normal(reason);
  begin_hold(tuning_.hold_after_alarm_s, reason);
}

// ---- normal: a step to either side

void Core::begin_normal(const char* reason) {
  state_ = State::normal;
  reason_ = reason;
  entered_at_ = k_;
  streak_ = 0;
  tried_up_ = tried_down_ = false;
  normal_next();
}

void Core::normal_next() {
  for (int attempts = 0; attempts < 2; ++attempts, side_ = -side_) {
    if (side_ > 0 ? tried_up_ : tried_down_) continue;
    double step = streak_ >= 2 ? tuning_.step * tuning_.step : tuning_.step;
    int to = within(side_ > 0 ? k_ * step : k_ / step, k_);
    if (side_ > 0 && to > cap(k_)) to = cap(k_);
    if (side_ > 0 ? to > k_ : to < k_) return ask(k_, to, thorough);
    (side_ > 0 ? tried_up_ : tried_down_) = true;
  }
  normal_done("both sides give less");
}

void Core::on_normal(Verdict verdict) {
  if (verdict == Verdict::no_info) return normal_done("callers are few");
  if (changed_since_held(compare_.ln_rate_a())) 
    return begin_relocate(compare_.ln_rate_a() > level_of(k_) ? 1 : -1, "the level no longer gives what it gave");
  if (verdict == Verdict::up) {
    ++streak_;
    // What was left behind is known to be worse.
    tried_up_ = side_ < 0;
    tried_down_ = side_ > 0;
    move(compare_.b(), "a step pays");
    return normal_next();
  }
  streak_ = 0;
  (side_ > 0 ? tried_up_ : tried_down_) = true;
  side_ = -side_;
  normal_next();
}

void Core::normal_done(const char* reason) {
  bool moved = k_ != entered_at_;
  if (expired_once_) hold_s_ = moved ? larger(tuning_.hold_least_s, hold_s_ / 2) : smaller(tuning_.hold_most_s, hold_s_ * 2);
  begin_hold(hold_s_, reason);
}

}  // namespace weir::control
