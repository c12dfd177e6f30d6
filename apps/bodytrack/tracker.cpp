// SPDX-License-Identifier: Apache-2.0
#include "tracker.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace bodytrack {

namespace {

constexpr std::size_t grain = 16;  // particles in one call

// SplitMix64's output function, folded over the parts of a key.
std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double fraction(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Two normal deviates by the method of Box and Muller.
std::pair<double, double> normals(std::uint64_t key) {
  const double radius = std::sqrt(-2 * std::log(fraction(mix(key))));
  const double angle = 2 * std::numbers::pi * fraction(mix(key ^ 0x5bf03635u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

void for_some(const ForEach& for_each, std::size_t count, const std::function<void(std::size_t)>& body) {
  for_each((count + grain - 1) / grain, [&](std::size_t some) {
    const std::size_t end = std::min(count, (some + 1) * grain);
    for (std::size_t i = some * grain; i < end; ++i) body(i);
  });
}

// What a body can do: elbows and knees bend one way.
void limit(Pose& pose) {
  for (const Angle joint : {left_elbow, right_elbow, left_knee, right_knee})
    pose[joint] = std::clamp(pose[joint], 0.0, 2.4);
  for (const Angle joint : {left_spread, right_spread}) pose[joint] = std::clamp(pose[joint], 0.0, 1.6);
}

struct Misses {
  double edges = 0, inside = 0;
  int edge_points = 0, inside_points = 0;
};

// Points along a limb's outline should lie on edges, those within it on foreground.
void compare(const Projected& limb, const View& view, Misses& misses) {
  constexpr int along = 8, across = 3;
  const double dx = limb.to.x - limb.from.x, dy = limb.to.y - limb.from.y;
  const double length = std::hypot(dx, dy);
  // Seen end on, a limb has no outline along its axis.
  const double nx = length > 1e-6 ? -dy / length : 1, ny = length > 1e-6 ? dx / length : 0;
  for (int i = 0; i < along; ++i) {
    const double t = (i + 0.5) / along;
    const double radius = limb.from_radius + t * (limb.to_radius - limb.from_radius);
    const double x = limb.from.x + t * dx, y = limb.from.y + t * dy;
    for (int side = -1; side <= 1; side += 2) {
      const double miss = 1 - view.edges.at(x + side * radius * nx, y + side * radius * ny);
      misses.edges += miss * miss;
    }
    misses.edge_points += 2;
    for (int k = 0; k < across; ++k) {
      const double off = radius * 0.8 * (2.0 * k / (across - 1) - 1);
      const double miss = 1 - view.foreground.at(x + off * nx, y + off * ny);
      misses.inside += miss * miss;
    }
    misses.inside_points += across;
  }
}

// The inverse temperature at which a given share of the particles survives: 1 / (N * sum of squared weights).
double sharpness(std::span<const double> misfits, double least, double survivors) {
  double low = 0, high = 1e5;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    double sum = 0, squares = 0;
    for (const double misfit : misfits) {
      const double weight = std::exp(-middle * (misfit - least));
      sum += weight;
      squares += weight * weight;
    }
    const double share = sum * sum / (squares * static_cast<double>(misfits.size()));
    (share > survivors ? low : high) = middle;
  }
  return low;
}

}  // namespace

double misfit(const Pose& pose, std::span<const Camera> cameras, std::span<const View> views) {
  const Limbs limbs = limbs_of(pose);
  Misses misses;
  for (std::size_t camera = 0; camera < cameras.size(); ++camera) {
    for (const Limb& limb : limbs) compare(project(cameras[camera], limb), views[camera], misses);
  }
  return misses.edges / misses.edge_points + misses.inside / misses.inside_points;
}

Tracker::Tracker(const Pose& start, std::vector<Camera> cameras, std::size_t particles, int layers,
                 std::uint64_t seed)
    : cameras_(std::move(cameras)),
      particles_(std::max<std::size_t>(particles, 1), start),
      drawn_(particles_.size()),
      misfits_(particles_.size()),
      weights_(particles_.size()),
      layers_(layers),
      seed_(seed) {}

void Tracker::weigh(std::span<const View> views, double survivors, const ForEach& for_each) {
  for_some(for_each, particles_.size(),
           [&](std::size_t i) { misfits_[i] = misfit(particles_[i], cameras_, views); });
  const double least = *std::min_element(misfits_.begin(), misfits_.end());
  const double beta = sharpness(misfits_, least, survivors);
  double sum = 0;
  for (std::size_t i = 0; i < particles_.size(); ++i)
    sum += weights_[i] = std::exp(-beta * (misfits_[i] - least));
  for (double& weight : weights_) weight /= sum;
}

// Systematic resampling: one random number, then even steps through the summed weights.
void Tracker::draw_by_weight(std::uint64_t layer) {
  const double step = 1.0 / static_cast<double>(particles_.size());
  double at = step * fraction(mix(mix(seed_ ^ frame_) ^ layer));
  double reached = weights_[0];
  std::size_t from = 0;
  for (Pose& drawn : drawn_) {
    while (at > reached && from + 1 < particles_.size()) reached += weights_[++from];
    drawn = particles_[from];
    at += step;
  }
  particles_.swap(drawn_);
}

void Tracker::scatter(std::uint64_t layer, double scale, const ForEach& for_each) {
  const Pose& deviation = frame_deviation();
  const std::uint64_t key = mix(mix(seed_ + frame_ * 0x10001) + layer);
  for_some(for_each, particles_.size(), [&](std::size_t i) {
    for (std::size_t freedom = 0; freedom < freedoms; freedom += 2) {
      const auto [first, second] = normals(mix(key + i) + freedom);
      particles_[i][freedom] += scale * deviation[freedom] * first;
      if (freedom + 1 < freedoms) particles_[i][freedom + 1] += scale * deviation[freedom + 1] * second;
    }
    limit(particles_[i]);
  });
}

Pose Tracker::follow(std::span<const View> views, const ForEach& for_each) {
  constexpr double shrink = 0.65, survivors = 0.3;
  double scale = 1;
  for (int layer = 0; layer < layers_; ++layer) {
    scatter(static_cast<std::uint64_t>(layer), scale, for_each);
    weigh(views, layer + 1 < layers_ ? survivors : survivors / 3, for_each);
    if (layer + 1 < layers_) draw_by_weight(static_cast<std::uint64_t>(layer));
    scale *= shrink;
  }
  Pose mean{};
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    for (std::size_t freedom = 0; freedom < freedoms; ++freedom)
      mean[freedom] += weights_[i] * particles_[i][freedom];
  }
  draw_by_weight(static_cast<std::uint64_t>(layers_));
  ++frame_;
  return mean;
}

}  // namespace bodytrack
