// SPDX-License-Identifier: Apache-2.0
// The annealed particle filter of Deutscher, Blake and Reid (2000): a few layers a frame, in each the
// particles are weighed against the images, drawn anew by weight, and moved by noise that shrinks from layer
// to layer.
//
// Every random number is a function of (seed, frame, layer, particle), every sum runs in the order of the
// particles: the poses do not depend on which thread did what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "body.h"
#include "image.h"

namespace bodytrack {

// Calls a function for 0 .. count - 1, in any order and at the same time.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>&)>;

// What one camera saw in one frame.
struct View {
  Map edges, foreground;
};

// How badly a body in that pose explains the views: 0 is perfectly, 2 not at all.
double misfit(const Pose& pose, std::span<const Camera> cameras, std::span<const View> views);

class Tracker {
 public:
  Tracker(const Pose& start, std::vector<Camera> cameras, std::size_t particles, int layers,
          std::uint64_t seed);

  // Takes the views of the next frame, one a camera, and returns where the body is.
  Pose follow(std::span<const View> views, const ForEach& for_each);

 private:
  void weigh(std::span<const View> views, double survivors, const ForEach& for_each);
  void draw_by_weight(std::uint64_t layer);
  void scatter(std::uint64_t layer, double scale, const ForEach& for_each);

  std::vector<Camera> cameras_;
  std::vector<Pose> particles_, drawn_;
  std::vector<double> misfits_, weights_;
  int layers_;
  std::uint64_t seed_, frame_ = 0;
};

}  // namespace bodytrack
