// SPDX-License-Identifier: Apache-2.0
// PARSEC's .fluid files, little endian: the particles a metre at rest (float), their number (int32), then for
// each its position, its velocity half a step on, and its velocity: nine floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fluidanimate {

struct Vec {
  float x = 0, y = 0, z = 0;
};

struct Particle {
  Vec position, half_velocity, velocity;
};
static_assert(sizeof(Particle) == 36, "as it lies in the file");

struct Fluid {
  float particles_per_metre = 0;
  std::vector<Particle> particles;
};

// The box that PARSEC's fluids move in, in metres.
inline constexpr Vec box_low{-0.065f, -0.08f, -0.065f};
inline constexpr Vec box_high{0.065f, 0.1f, 0.065f};

// Throws std::system_error where the file can't be read, std::runtime_error where it is no fluid in the box.
Fluid read_fluid(const std::string& path);

// Throws std::system_error.
void write_fluid(const std::string& path, const Fluid& fluid);

// A block of about `count` particles at rest that fills the left third of the box: a dam about to break.
Fluid dam(std::size_t count, std::uint64_t seed);

}  // namespace fluidanimate
