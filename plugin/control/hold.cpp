// SPDX-License-Identifier: Apache-2.0
// The Core while it holds a level, and what ends that.
#include "control/core.h"
#include "control/math.h"

namespace weir::control {

void Core::begin_hold(double seconds, const char* reason) {
  state_ = State::hold;
  reason_ = reason;
  until_s_ = clock_s_ + seconds;
  held_since_s_ = clock_s_;
  guard_open_ = previous_.k && previous_.k != k_ && clock_s_ - previous_.at_s < tuning_.carry_over_s;
  watch_.begin(k_, spread_);
}

double Core::level_of(int k) const {
  for (const Level& level : levels_)
    if (level.k == k && clock_s_ - level.at_s < tuning_.carry_over_s) return level.ln_rate;
  return unknown;
}

void Core::remember_level() {
  if (!watch_.knows()) return;
  Level now{k_, watch_.ln_rate(), clock_s_};
  previous_ = now;
  for (Level& level : levels_)
    if (level.k == k_) {
      level = now;
      return;
    }
  levels_[next_level_] = now;
  next_level_ = (next_level_ + 1) % most_levels;
}

// Does the level give much more or less than when it was last held?
bool Core::changed_since_held(double ln_rate) const {
  double before = level_of(k_);
  return before != unknown && magnitude(ln_rate - before) > larger(tuning_.carry_over, 2.5 * spread_);
}

void Core::in_hold(const Sample& sample) {
  bool long_idle = watch_.idle_s() > tuning_.hold_least_s;
  Watch::News news = watch_.add(sample);
  switch (news) {
    case Watch::News::rose: return begin_relocate(1, "throughput rose");
    case Watch::News::fell: return begin_relocate(-1, "throughput fell");
    case Watch::News::baseline:
      if (changed_since_held(watch_.ln_rate()))
        return begin_relocate(watch_.ln_rate() > level_of(k_) ? 1 : -1, "the level no longer gives what it gave");
      break;
    case Watch::News::none: break;
  }
  if (long_idle && watch_.idle_s() == 0) return begin_relocate(1, "wanted again after a pause");
  if (guard_open_ && watch_.knows() && clock_s_ - held_since_s_ > tuning_.guard_s) {
    guard_open_ = false;
    if (watch_.ln_rate() < previous_.ln_rate - tuning_.guard_loss) {
      guarding_ = true;
      reason_ = "less than before the move: was the old level better?";
      return ask(k_, previous_.k, thorough);
    }
  }
  if (clock_s_ >= until_s_ && watch_.idle_s() == 0) hold_expired();
}

void Core::hold_expired() {
  remember_level();
  expired_once_ = true;
  if (++expiries_ % tuning_.jump_every) return begin_normal("hold is over");
  constexpr double jumps[] = {2, 0.5, 4, 0.25};
  double jump = jumps[jumps_++ % 4];
  int to = within(smaller(k_ * jump, larger(cap(k_), 1)), 0);
  if (to == k_) return begin_normal("hold is over");
  jumping_ = true;
  reason_ = "hold is over: a far look first";
  ask(k_, to, quick);
}

void Core::on_check(Verdict verdict) {
  bool guarding = guarding_;
  guarding_ = jumping_ = false;
  bool better = verdict == Verdict::up;
  if (guarding) {
    double lost = previous_.ln_rate - compare_.ln_rate_a();
    previous_ = {};  // asked and answered
    if (better) move(compare_.b(), "the old level was better");
    else if (lost > larger(tuning_.carry_over, 2.5 * spread_)) return begin_relocate(-1, "less than before at either level");
    return begin_hold(hold_s_, better ? "the old level was better" : "the new level is no worse");
  }
  if (better) return fast_from_gain("a far look paid");
  begin_normal("a far look did not pay");
}

// ---- relocate: after a change of throughput

void Core::begin_relocate(int sign, const char* reason) {
  remember_level();
  state_ = State::relocate;
  sign_ = sign < 0 ? -1 : 1;
  tries_ = 0;
  before_relocation_ = k_;
  previous_ = {};
  relocate_next(reason);
}

void Core::relocate_next(const char* reason) {
  reason_ = reason;
  for (; tries_ < 2; sign_ = -sign_) {
    ++tries_;
    int to = sign_ > 0 ? within(smaller(2.0 * k_, cap(k_)), 0) : within(k_ / 2.0, k_);
    if (sign_ > 0 ? to > k_ : to < k_) return ask(k_, to, quick);
  }
  begin_hold(tuning_.hold_after_alarm_s, "capacity changed, not what it takes");
}

void Core::on_relocate(Verdict verdict) {
  if (verdict == Verdict::up) {
    relocating_ = true;
    return fast_from_gain("this way it pays");
  }
  if (verdict == Verdict::no_info) return begin_hold(tuning_.hold_after_alarm_s, "callers are few");
  sign_ = -sign_;
  relocate_next("this way it does not pay");
}

// Fast mode in the direction of a comparison that has just been won.
void Core::fast_from_gain(const char* reason) {
  int from = compare_.a(), to = compare_.b();
  state_ = State::fast;
  chain_.begin(from);
  chain_.add(from, to, compare_.gain());
  from_ = from;
  ref_ = to;
  both_ways_ = false;
  gained_ = true;
  direction_ = to > from ? 1 : -1;
  looks_ = 1;
  move(to, reason);
  fast_next(to);
}

}  // namespace weir::control
