// SPDX-License-Identifier: Apache-2.0
#include "body.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bodytrack {

namespace {

Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator*(Vec3 a, double k) { return {a.x * k, a.y * k, a.z * k}; }
double distance(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z); }

// A frame of reference that looks along the body's own forward axis: right, up, forward.
struct Frame {
  Vec3 right, up, forward;
  Vec3 at(Vec3 v) const { return right * v.x + up * v.y + forward * v.z; }
};

Frame turned_up(double yaw) {
  return {{std::cos(yaw), 0, -std::sin(yaw)}, {0, 1, 0}, {std::sin(yaw), 0, std::cos(yaw)}};
}

Frame leant(const Frame& frame, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {frame.right, frame.at({0, c, s}), frame.at({0, -s, c})};
}

// The direction of a limb that hangs down, swung forwards and spread sideways (to the right where positive).
Vec3 hanging(const Frame& frame, double swing, double spread) {
  const double c = std::cos(spread);
  return frame.at({std::sin(spread), -std::cos(swing) * c, std::sin(swing) * c});
}

}  // namespace

const Pose& frame_deviation() {
  static constexpr Pose deviation = {0.04, 0.02, 0.04, 0.08, 0.04, 0.16, 0.16, 0.06,
                                     0.06, 0.14, 0.14, 0.14, 0.14, 0.16, 0.16};
  return deviation;
}

Limbs limbs_of(const Pose& pose) {
  const Frame pelvis = turned_up(pose[yaw]);
  const Frame chest = leant(pelvis, pose[lean]);
  const Vec3 root{pose[root_x], pose[root_y], pose[root_z]};
  const Vec3 neck = root + chest.up * 0.52;
  Limbs limbs;
  limbs[torso] = {root, neck, 0.15};
  limbs[head] = {neck + chest.up * 0.08, neck + chest.up * 0.24, 0.09};

  const auto arm = [&](Part upper, Part lower, double side, double swing, double spread, double elbow) {
    const Vec3 shoulder = root + chest.at({side * 0.20, 0.48, 0});
    const Vec3 joint = shoulder + hanging(chest, swing, side * spread) * 0.29;
    limbs[upper] = {shoulder, joint, 0.05};
    limbs[lower] = {joint, joint + hanging(chest, swing + elbow, side * spread) * 0.27, 0.04};
  };
  arm(left_upper_arm, left_lower_arm, -1, pose[left_shoulder], pose[left_spread], pose[left_elbow]);
  arm(right_upper_arm, right_lower_arm, 1, pose[right_shoulder], pose[right_spread], pose[right_elbow]);

  const auto leg = [&](Part thigh, Part calf, double side, double swing, double knee) {
    const Vec3 hip = root + pelvis.at({side * 0.10, -0.02, 0});
    const Vec3 joint = hip + hanging(pelvis, swing, 0) * 0.43;
    limbs[thigh] = {hip, joint, 0.075};
    limbs[calf] = {joint, joint + hanging(pelvis, swing - knee, 0) * 0.42, 0.055};
  };
  leg(left_thigh, left_calf, -1, pose[left_hip], pose[left_knee]);
  leg(right_thigh, right_calf, 1, pose[right_hip], pose[right_knee]);
  return limbs;
}

double mean_distance(const Pose& a, const Pose& b) {
  const Limbs first = limbs_of(a), second = limbs_of(b);
  double sum = 0;
  for (std::size_t part = 0; part < parts; ++part)
    sum += distance(first[part].from, second[part].from) + distance(first[part].to, second[part].to);
  return sum / (2 * parts);
}

std::vector<Camera> cameras_around(std::size_t count, int width, int height) {
  std::vector<Camera> cameras;
  for (std::size_t i = 0; i < count; ++i) {
    // Half a circle: the one across the body would show the same outline again.
    const double bearing = std::numbers::pi * (static_cast<double>(i) + 0.25) / static_cast<double>(count);
    cameras.push_back({bearing, 4.0, 1.6 * height, width, height});
  }
  return cameras;
}

Projected project(const Camera& camera, const Limb& limb) {
  const double c = std::cos(camera.bearing), s = std::sin(camera.bearing);
  const auto seen = [&](Vec3 p, double radius, Vec2& at, double& pixels) {
    // The camera stands at (s, ., c) * distance and looks back at the axis.
    const double depth = std::max(0.1, camera.distance - (p.x * s + p.z * c));
    const double scale = camera.focal / depth;
    at = {camera.width / 2.0 + scale * (p.x * c - p.z * s), camera.height / 2.0 - scale * (p.y - 1.0)};
    pixels = radius * scale;
    return depth;
  };
  Projected projected;
  const double near = seen(limb.from, limb.radius, projected.from, projected.from_radius);
  const double far = seen(limb.to, limb.radius, projected.to, projected.to_radius);
  projected.depth = (near + far) / 2;
  return projected;
}

}  // namespace bodytrack
