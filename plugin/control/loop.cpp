// SPDX-License-Identifier: Apache-2.0
#include "control/loop.h"

#include "control/math.h"

namespace weir::control {
namespace {
constexpr std::int64_t tick_ns = 50'000'000;
constexpr std::int64_t look_again_ns = 500'000'000;
constexpr double asleep_after_s = 2;
constexpr double pass_below = 0.02, gate_above = 0.05;
constexpr int mixed_for_good = 10;
// So many operations, or none for so long, say how many may be under way at first.
constexpr double enough_to_know = 16, long_enough_s = 0.05;
constexpr std::int64_t short_ns = 1'000'000;

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
}  // namespace

Loop::Loop(Algorithm algorithm, const Bounds& bounds, const IopaTuning& iopa)
    : controller_(algorithm, bounds, {}, iopa), bounds_(bounds), limit_(bounds.start > 0 ? bounds.start : bounds.most) {}

// Permits are not workers: cores are kept busy by tasks that hold none, so the controller is told of no processor time
// and goes by throughput alone.
Sample Loop::sample_between(const Reading& a, const Reading& b) const {
  Sample s;
  s.dt_s = seconds(b.now_ns - a.now_ns);
  s.ops = static_cast<double>(b.storage_ops - a.storage_ops);
  s.bytes = static_cast<double>(b.storage_bytes - a.storage_bytes);
  s.busy = static_cast<double>(a.held + a.waiting + b.held + b.waiting) / 2;
  s.blocked = s.dt_s > 0 ? seconds(b.blocked_ns - a.blocked_ns) / s.dt_s : 0;
  // A lower limit takes effect as permits come back; a higher one at once.
  s.level = static_cast<double>(b.held > limit_ ? b.held : limit_);
  s.region = b.region;
  return s;
}

// A turn during which the region changed belongs to none. Where they change faster than turns come, all is one.
bool Loop::region_is_clear(const Reading& reading) {
  bool same = reading.region == last_.region;
  mixed_ = same ? 0 : mixed_ + 1;
  return same || mixed_ > mixed_for_good;
}

// Is there so little waiting that a limit could only cost?
bool Loop::passes_through(const Sample& sample) {
  double share = sample.blocked > 0 ? sample.blocked / (sample.blocked + sample.cpu) : 0;
  unblocked_s_ = share < pass_below && sample.ops > 0 ? unblocked_s_ + sample.dt_s : 0;
  passing_ = passing_ ? share <= gate_above : unblocked_s_ >= 1;
  return passing_;
}

Loop::Turn Loop::at_first(const Reading& reading) {
  if (!first_.now_ns) first_ = reading;
  Sample moved = sample_between(first_, reading);
  bool known = moved.ops >= enough_to_know || moved.dt_s >= long_enough_s;
  limit_ = known ? start_for(bounds_, moved.ops, moved.bytes) : least_start(bounds_);
  return {.limit = limit_, .sleep_ns = known ? tick_ns : short_ns, .sample = {}, .decision = {}};
}

Loop::Turn Loop::turn(const Reading& reading) {
  if (!begun_) {
    begun_ = true;
    last_ = reading;
    return {.limit = limit_, .sleep_ns = tick_ns, .sample = {}, .decision = {}};
  }
  Sample sample = sample_between(last_, reading);
  double cpu = sample.dt_s > 0 ? seconds(reading.cpu_ns - last_.cpu_ns) / sample.dt_s : 0;
  bool clear = region_is_clear(reading);
  last_ = reading;

  bool nothing = sample.ops < 0.5 && reading.held + reading.waiting == 0;
  idle_s_ = nothing ? idle_s_ + sample.dt_s : 0;
  if (idle_s_ > asleep_after_s) {
    begun_ = false;
    idle_s_ = 0;
    return {.limit = limit_, .sleep_ns = -1, .sample = {}, .decision = {}};
  }
  Sample with_cpu = sample;
  with_cpu.cpu = cpu;
  if (passes_through(with_cpu)) return {.limit = bounds_.most, .sleep_ns = look_again_ns, .sample = {}, .decision = {}};
  if (!clear) return {.limit = limit_, .sleep_ns = tick_ns, .sample = {}, .decision = {}};
  if (mixed_) sample.region = 0;

  sample = as_logged(sample);
  Decision decision = controller_.step(sample);
  limit_ = decision.limit;
  auto sleep_ns = static_cast<std::int64_t>(controller_.patience_s() * 1e9);
  return {.limit = limit_, .sleep_ns = sleep_ns, .decided = true, .sample = sample, .decision = decision};
}

}  // namespace weir::control
