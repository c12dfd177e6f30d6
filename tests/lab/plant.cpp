// SPDX-License-Identifier: Apache-2.0
#include "plant.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

namespace lab {
namespace {

// Where the actuator is on its way to what was asked.
class Actuator {
 public:
  Actuator(const Plant& plant, double level) : plant_(plant), level_(level), want_(level) {}
  double step(long tick) {
    while (!pending_.empty() && pending_.front().first <= tick) {
      want_ = pending_.front().second;
      pending_.pop_front();
    }
    if (level_ < want_) level_ = std::min(want_, level_ + std::max(4.0, 0.5 * want_));
    else if (level_ > want_) level_ = std::max(want_, level_ - std::max(2.0, 0.34 * level_));
    return level_;
  }
  void ask(long tick, int k) {
    if (!pending_.empty() && pending_.back().second == k) return;
    pending_.emplace_back(tick + (k > want_ ? plant_.delay_up : plant_.delay_down), k);
  }

 private:
  const Plant& plant_;
  double level_, want_;
  std::deque<std::pair<long, double>> pending_;
};

class Noise {
 public:
  Noise(const Plant& plant, unsigned seed) : plant_(plant), random_(seed * 7919 + 13) {}
  double factor(double t) {
    constexpr double correlation_s = 2;
    double keep = std::exp(-dt_s / correlation_s);
    slow_ = keep * slow_ + plant_.slow_noise * std::sqrt(1 - keep * keep) * normal_(random_);
    double factor = std::exp(slow_ + plant_.fast_noise * normal_(random_));
    if (plant_.square_period > 0)
      factor *= 1 + (std::sin(2 * M_PI * t / plant_.square_period) >= 0 ? 1 : -1) * plant_.square_share;
    return factor;
  }
  double counted(double mean) {
    if (mean > 30) return std::max(0.0, mean + std::sqrt(mean) * normal_(random_));
    return mean > 0 ? std::poisson_distribution<int>(mean)(random_) : 0;
  }

 private:
  const Plant& plant_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double slow_ = 0;
};

double settled(const std::vector<double>& loss) {
  std::size_t window = 10 / dt_s;
  if (loss.size() < window) return 1e9;
  double sum = 0;
  for (std::size_t i = 0; i < loss.size(); ++i) {
    sum += loss[i];
    if (i >= window) sum -= loss[i - window];
    if (i + 1 >= window && sum / window <= 0.05) return (i + 1 - window) * dt_s;
  }
  return 1e9;
}

}  // namespace

Outcome run(const Plant& plant, const Brain& brain, double seconds, unsigned seed) {
  Noise noise(plant, seed);
  Actuator actuator(plant, std::max(1.0, std::ceil(0.3 * plant.cores)));
  double got = 0, possible = 0;
  std::vector<double> loss;
  std::vector<int> levels;
  for (long tick = 0; tick < static_cast<long>(seconds / dt_s); ++tick) {
    double t = tick * dt_s;
    double level = actuator.step(tick);
    int k = std::clamp(static_cast<int>(std::lround(level)), 1, kmax);
    Moment now = plant.at ? plant.at(plant, t) : Moment{};
    const Curve& curve = now.curve ? *now.curve : plant.curves[0];
    double x = now.fixed > 0 ? now.fixed : curve[k] * now.capacity;
    double best = now.fixed > 0 ? now.fixed : *std::max_element(curve.begin(), curve.end()) * now.capacity;
    double rate = std::min(x, now.demand);
    best = std::min(best, now.demand);

    weir::control::Sample sample;
    sample.dt_s = dt_s;
    sample.ops = noise.counted(rate * dt_s * noise.factor(t));
    sample.bytes = sample.ops * now.op_bytes;
    sample.busy = x > 0 ? k * std::min(1.0, rate / x) : 0;
    double compute = plant.compute_ms / 1000;
    sample.blocked = plant.compute_only ? 0.05 * sample.busy : sample.busy * std::max(0.0, 1 - rate * compute / k);
    sample.cpu = plant.compute_only ? 0.95 * std::min(k, plant.cores) : std::min<double>(plant.cores, rate * compute);
    sample.level = level;
    sample.region = now.region;
    actuator.ask(tick, std::clamp(brain(sample), 1, kmax));

    got += rate;
    possible += best;
    loss.push_back(best > 0 ? 1 - rate / best : 0);
    levels.push_back(k);
  }
  Outcome outcome;
  outcome.regret = 100 * (1 - got / possible);
  outcome.settled_s = settled(loss);
  for (std::size_t i = 1; i < levels.size(); ++i) outcome.moves += levels[i] != levels[i - 1];
  auto middle = levels.begin() + levels.size() * 3 / 4;
  std::nth_element(levels.begin() + levels.size() / 2, middle, levels.end());
  outcome.last_k = *middle;
  return outcome;
}

}  // namespace lab
