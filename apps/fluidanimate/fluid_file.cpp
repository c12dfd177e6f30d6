// SPDX-License-Identifier: Apache-2.0
#include "fluid_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <system_error>

namespace fluidanimate {

namespace {

bool inside(Vec p) {
  return p.x >= box_low.x && p.x <= box_high.x && p.y >= box_low.y && p.y <= box_high.y && p.z >= box_low.z &&
         p.z <= box_high.z;
}

}  // namespace

Fluid read_fluid(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  const auto bytes = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  Fluid fluid;
  std::int32_t count = 0;
  file.read(reinterpret_cast<char*>(&fluid.particles_per_metre), sizeof fluid.particles_per_metre);
  file.read(reinterpret_cast<char*>(&count), sizeof count);
  const bool plausible = file && count >= 0 && fluid.particles_per_metre > 0 &&
                         bytes >= 8 + static_cast<std::uint64_t>(count) * sizeof(Particle);
  if (!plausible) throw std::runtime_error(path + ": no fluid, or cut off");
  fluid.particles.resize(static_cast<std::size_t>(count));
  file.read(reinterpret_cast<char*>(fluid.particles.data()),
            static_cast<std::streamsize>(fluid.particles.size() * sizeof(Particle)));
  if (!file) throw std::runtime_error(path + ": cut off");
  for (const auto& particle : fluid.particles) {
    if (!inside(particle.position)) throw std::runtime_error(path + ": a particle lies outside of the box");
  }
  return fluid;
}

void write_fluid(const std::string& path, const Fluid& fluid) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  const auto count = static_cast<std::int32_t>(fluid.particles.size());
  std::fwrite(&fluid.particles_per_metre, sizeof fluid.particles_per_metre, 1, file.get());
  std::fwrite(&count, sizeof count, 1, file.get());
  std::fwrite(fluid.particles.data(), sizeof(Particle), fluid.particles.size(), file.get());
  if (std::fflush(file.get()) != 0 || std::ferror(file.get()) != 0)
    throw std::system_error(errno, std::generic_category(), path);
}

Fluid dam(std::size_t count, std::uint64_t seed) {
  constexpr float wall = 0.0005f;  // between the outermost particles and the box
  const Vec size{(box_high.x - box_low.x) / 3, (box_high.y - box_low.y) * 0.8f,
                 box_high.z - box_low.z - 2 * wall};
  const float spacing = std::cbrt(size.x * size.y * size.z / static_cast<float>(count));
  std::mt19937_64 random(seed);
  const auto jitter = [&] {
    return spacing * 0.05f * (static_cast<float>(random() % 2001) / 1000.0f - 1.0f);
  };
  Fluid fluid;
  fluid.particles_per_metre = 1.0f / spacing;
  for (float y = spacing / 2; y < size.y; y += spacing) {
    for (float x = spacing / 2; x < size.x; x += spacing) {
      for (float z = spacing / 2; z < size.z; z += spacing) {
        Particle particle;
        particle.position = {
            std::max(box_low.x + wall, box_low.x + wall + x + jitter()),
            std::max(box_low.y + wall, box_low.y + wall + y + jitter()),
            std::clamp(box_low.z + wall + z + jitter(), box_low.z + wall, box_high.z - wall)};
        fluid.particles.push_back(particle);
      }
    }
  }
  return fluid;
}

}  // namespace fluidanimate
