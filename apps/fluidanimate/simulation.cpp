// SPDX-License-Identifier: Apache-2.0
#include "simulation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fluidanimate {

namespace {

constexpr float time_step = 0.005f;
constexpr float double_rest_density = 2000.0f;
constexpr float radius_in_spacings = 1.695f;
constexpr float stiffness = 1.5f;
constexpr float viscosity = 0.4f;
constexpr float gravity = -9.8f;
constexpr float skin = 0.0002f;  // how near to a wall a particle is pushed back
constexpr float wall_stiffness = 30000.0f;
constexpr float wall_damping = 128.0f;
constexpr float least_distance_squared = 1e-12f;
constexpr std::size_t grain = 512;  // bodies in one call

Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec operator*(Vec a, float k) { return {a.x * k, a.y * k, a.z * k}; }
float squared(Vec a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

// What the two walls across one axis push with, where the particle would be within their skin after the step.
float push(float position, float half_velocity, float velocity, float low, float high) {
  const float next = position + half_velocity * time_step;
  const float below = skin - (next - low), above = skin - (high - next);
  float push = 0;
  if (below > 0) push += wall_stiffness * below - wall_damping * velocity;
  if (above > 0) push -= wall_stiffness * above + wall_damping * velocity;
  return push;
}

// A particle that went through a wall all the same comes back from it, as far inside as it was outside.
void reflect(float& position, float& half_velocity, float& velocity, float low, float high) {
  const bool out = position < low || position > high;
  if (!out) return;
  position = position < low ? 2 * low - position : 2 * high - position;
  position = std::clamp(position, low, high);
  half_velocity = -half_velocity;
  velocity = -velocity;
}

void advance(Particle& particle, Vec acceleration) {
  const Vec half = particle.half_velocity + acceleration * time_step;
  particle.position = particle.position + half * time_step;
  particle.velocity = (particle.half_velocity + half) * 0.5f;
  particle.half_velocity = half;
  reflect(particle.position.x, particle.half_velocity.x, particle.velocity.x, box_low.x, box_high.x);
  reflect(particle.position.y, particle.half_velocity.y, particle.velocity.y, box_low.y, box_high.y);
  reflect(particle.position.z, particle.half_velocity.z, particle.velocity.z, box_low.z, box_high.z);
}

void for_some(const ForEach& for_each, std::size_t count, const std::function<void(std::size_t)>& body) {
  for_each((count + grain - 1) / grain, [&](std::size_t some) {
    const std::size_t end = std::min(count, (some + 1) * grain);
    for (std::size_t i = some * grain; i < end; ++i) body(i);
  });
}

}  // namespace

Simulation::Simulation(const Fluid& fluid)
    : particles_per_metre_(fluid.particles_per_metre),
      mass_(double_rest_density / 2 / std::pow(fluid.particles_per_metre, 3.0f)),
      radius_(radius_in_spacings / fluid.particles_per_metre) {
  const double pi = std::numbers::pi, h = radius_;
  density_factor_ = static_cast<float>(mass_ * 315.0 / (64.0 * pi * std::pow(h, 9)));
  pressure_factor_ = static_cast<float>(3.0 * 15.0 / (pi * std::pow(h, 6)) * 0.5 * stiffness * mass_);
  viscosity_factor_ = static_cast<float>(viscosity * 45.0 / (pi * std::pow(h, 6)) * mass_);
  const Vec range = box_high - box_low;
  const auto along = [h](float length) { return std::max(1, static_cast<int>(length / h)); };
  cells_ = {along(range.x), along(range.y), along(range.z)};
  cell_size_ = {range.x / static_cast<float>(cells_.x), range.y / static_cast<float>(cells_.y),
                range.z / static_cast<float>(cells_.z)};
  bodies_.resize(fluid.particles.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    bodies_[i] = {fluid.particles[i], static_cast<std::uint32_t>(i)};
  sorted_.resize(bodies_.size());
  cell_.resize(bodies_.size());
  densities_.resize(bodies_.size());
  accelerations_.resize(bodies_.size());
}

Simulation::Cell Simulation::cell_of(Vec position) const {
  const Vec from = position - box_low;
  return {std::clamp(static_cast<int>(from.x / cell_size_.x), 0, cells_.x - 1),
          std::clamp(static_cast<int>(from.y / cell_size_.y), 0, cells_.y - 1),
          std::clamp(static_cast<int>(from.z / cell_size_.z), 0, cells_.z - 1)};
}

std::size_t Simulation::index_of(Cell cell) const {
  return static_cast<std::size_t>((cell.z * cells_.y + cell.y) * cells_.x + cell.x);
}

// A stable counting sort.
void Simulation::sort_into_cells() {
  first_.assign(index_of({0, 0, cells_.z}) + 1, 0);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    cell_[i] = static_cast<std::uint32_t>(index_of(cell_of(bodies_[i].state.position)));
    ++first_[cell_[i] + 1];
  }
  for (std::size_t cell = 1; cell < first_.size(); ++cell) first_[cell] += first_[cell - 1];
  auto next = first_;
  for (std::size_t i = 0; i < bodies_.size(); ++i) sorted_[next[cell_[i]]++] = bodies_[i];
  bodies_.swap(sorted_);
}

// Visits every other body nearer than the radius, with the vector from it and the distance squared.
template <class Visit>
void Simulation::for_neighbours(std::size_t body, const Visit& visit) const {
  const Vec here = bodies_[body].state.position;
  const Cell cell = cell_of(here);
  const float reach = radius_ * radius_;
  for (int z = std::max(0, cell.z - 1); z <= std::min(cells_.z - 1, cell.z + 1); ++z) {
    for (int y = std::max(0, cell.y - 1); y <= std::min(cells_.y - 1, cell.y + 1); ++y) {
      // Cells of a row lie behind each other, and so do their bodies.
      const std::size_t begin = first_[index_of({std::max(0, cell.x - 1), y, z})];
      const std::size_t end = first_[index_of({std::min(cells_.x - 1, cell.x + 1), y, z}) + 1];
      for (std::size_t other = begin; other < end; ++other) {
        const Vec away = here - bodies_[other].state.position;
        const float distance_squared = squared(away);
        if (distance_squared < reach && other != body) visit(other, away, distance_squared);
      }
    }
  }
}

float Simulation::density_of(std::size_t body) const {
  const float reach = radius_ * radius_;
  float sum = reach * reach * reach;  // its own
  for_neighbours(body, [&](std::size_t, Vec, float distance_squared) {
    const float rest = reach - distance_squared;
    sum += rest * rest * rest;
  });
  return sum * density_factor_;
}

Vec Simulation::acceleration_of(std::size_t body) const {
  const Particle& self = bodies_[body].state;
  const float density = densities_[body];
  Vec force;
  for_neighbours(body, [&](std::size_t other, Vec away, float distance_squared) {
    const float distance = std::sqrt(std::max(distance_squared, least_distance_squared));
    const float rest = radius_ - distance;
    const float pressure =
        pressure_factor_ * rest * rest / distance * (density + densities_[other] - double_rest_density);
    const Vec slower = bodies_[other].state.velocity - self.velocity;
    force = force +
            (away * pressure + slower * (viscosity_factor_ * rest)) * (1.0f / (density * densities_[other]));
  });
  const auto& [p, h, v] = self;
  return force + Vec{push(p.x, h.x, v.x, box_low.x, box_high.x),
                     push(p.y, h.y, v.y, box_low.y, box_high.y) + gravity,
                     push(p.z, h.z, v.z, box_low.z, box_high.z)};
}

void Simulation::step(const ForEach& for_each) {
  sort_into_cells();
  for_some(for_each, bodies_.size(), [this](std::size_t i) { densities_[i] = density_of(i); });
  for_some(for_each, bodies_.size(), [this](std::size_t i) { accelerations_[i] = acceleration_of(i); });
  for_some(for_each, bodies_.size(), [this](std::size_t i) { advance(bodies_[i].state, accelerations_[i]); });
}

Fluid Simulation::fluid() const {
  Fluid fluid;
  fluid.particles_per_metre = particles_per_metre_;
  fluid.particles.resize(bodies_.size());
  for (const Body& body : bodies_) fluid.particles[body.number] = body.state;
  return fluid;
}

}  // namespace fluidanimate
