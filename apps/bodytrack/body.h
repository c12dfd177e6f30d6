// SPDX-License-Identifier: Apache-2.0
// A body of ten limbs in a tree of joints, and the cameras that see it. Metres and radians; y is up.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace bodytrack {

struct Vec3 {
  double x = 0, y = 0, z = 0;
};
struct Vec2 {
  double x = 0, y = 0;
};

// What the tracker looks for: where the pelvis is, and how the joints are turned.
enum Angle : std::size_t {
  root_x,
  root_y,
  root_z,
  yaw,
  lean,
  left_shoulder,
  right_shoulder,  // swing, forwards is positive
  left_spread,
  right_spread,  // of the arms, away from the body
  left_elbow,
  right_elbow,
  left_hip,
  right_hip,
  left_knee,
  right_knee,
  freedoms
};
using Pose = std::array<double, freedoms>;

// How much each may change from frame to frame (one standard deviation).
const Pose& frame_deviation();

enum Part : std::size_t {
  torso,
  head,
  left_upper_arm,
  left_lower_arm,
  right_upper_arm,
  right_lower_arm,
  left_thigh,
  left_calf,
  right_thigh,
  right_calf,
  parts
};

struct Limb {
  Vec3 from, to;
  double radius;
};
using Limbs = std::array<Limb, parts>;

Limbs limbs_of(const Pose& pose);

// The mean distance of the limbs' ends in two poses.
double mean_distance(const Pose& a, const Pose& b);

// A pinhole camera `distance` away at `bearing` around the origin, looking at a point one metre above it.
struct Camera {
  double bearing, distance, focal;  // focal in pixels
  int width, height;
};

// `count` cameras spread around, for images of that size.
std::vector<Camera> cameras_around(std::size_t count, int width, int height);

struct Projected {
  Vec2 from, to;
  double from_radius, to_radius;  // pixels
  double depth;                   // of the middle, metres
};
Projected project(const Camera& camera, const Limb& limb);

}  // namespace bodytrack
