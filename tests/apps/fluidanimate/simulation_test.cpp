// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fluidanimate {
namespace {

void in_order(std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
}

void backwards_on_threads(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t i = count; i-- > 0;) threads.emplace_back([&body, i] { body(i); });
}

Fluid after(const Fluid& fluid, int frames, const ForEach& for_each = in_order) {
  Simulation simulation(fluid);
  for (int frame = 0; frame < frames; ++frame) simulation.step(for_each);
  return simulation.fluid();
}

bool in_box(Vec p) {
  return p.x >= box_low.x && p.x <= box_high.x && p.y >= box_low.y && p.y <= box_high.y && p.z >= box_low.z &&
         p.z <= box_high.z;
}

double mean_height(const Fluid& fluid) {
  double sum = 0;
  for (const auto& particle : fluid.particles) sum += particle.position.y;
  return sum / static_cast<double>(fluid.particles.size());
}

TEST(Simulation, KeepsItsMassInTheBox) {
  const Fluid before = dam(2000, 1);
  Simulation simulation(before);
  const double mass = simulation.particle_mass() * static_cast<double>(before.particles.size());
  for (int frame = 0; frame < 60; ++frame) {
    simulation.step(in_order);
    const Fluid now = simulation.fluid();
    ASSERT_EQ(now.particles.size(), before.particles.size());
    for (const auto& particle : now.particles) ASSERT_TRUE(in_box(particle.position)) << "frame " << frame;
  }
  EXPECT_DOUBLE_EQ(simulation.particle_mass() * static_cast<double>(simulation.fluid().particles.size()),
                   mass);
  // A third of the box across, 0.8 of it high, at 1000 kg a cubic metre.
  EXPECT_NEAR(mass, 1000 * (0.13 / 3) * (0.18 * 0.8) * 0.13, 0.1 * mass);
}

TEST(Simulation, WaterFallsAndSpreads) {
  const Fluid before = dam(2000, 1), later = after(before, 60);
  EXPECT_LT(mean_height(later), mean_height(before) - 0.01);
  float farthest = box_low.x;
  for (const auto& particle : later.particles) farthest = std::max(farthest, particle.position.x);
  EXPECT_GT(farthest, 0.05f);  // the other wall, where there was none before
}

// What particles do to each other must cancel: in the air, all that changes the sum of velocities is gravity.
TEST(Simulation, InTheAirOnlyGravityMovesTheWhole) {
  Fluid fluid = dam(1000, 2);
  for (auto& particle : fluid.particles) {
    particle.position.x += 0.04f;
    particle.position.y = particle.position.y * 0.3f + 0.03f;
    particle.position.z *= 0.6f;
  }
  fluid = after(fluid, 2);
  double x = 0, y = 0, z = 0;
  for (const auto& particle : fluid.particles) {
    x += particle.half_velocity.x;
    y += particle.half_velocity.y;
    z += particle.half_velocity.z;
  }
  const auto count = static_cast<double>(fluid.particles.size());
  EXPECT_NEAR(x / count, 0, 1e-3);
  EXPECT_NEAR(y / count, -9.8 * 2 * 0.005, 1e-3);
  EXPECT_NEAR(z / count, 0, 1e-3);
}

TEST(Simulation, DoesNotDependOnTheSchedule) {
  const Fluid before = dam(3000, 3);
  const Fluid one = after(before, 5), other = after(before, 5, backwards_on_threads);
  ASSERT_EQ(one.particles.size(), other.particles.size());
  EXPECT_EQ(
      std::memcmp(one.particles.data(), other.particles.data(), one.particles.size() * sizeof(Particle)), 0);
}

TEST(FluidFile, ReadsWhatItWroteInParsecsLayout) {
  const std::string path = testing::TempDir() + "fluid_test.fluid";
  const Fluid out = dam(500, 4);
  write_fluid(path, out);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  EXPECT_EQ(static_cast<std::size_t>(file.tellg()), 8 + 36 * out.particles.size());
  const Fluid in = read_fluid(path);
  EXPECT_EQ(in.particles_per_metre, out.particles_per_metre);
  ASSERT_EQ(in.particles.size(), out.particles.size());
  EXPECT_EQ(std::memcmp(in.particles.data(), out.particles.data(), in.particles.size() * sizeof(Particle)),
            0);

  std::ofstream(path, std::ios::binary) << "nothing of the kind";
  EXPECT_THROW(read_fluid(path), std::runtime_error);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace fluidanimate
