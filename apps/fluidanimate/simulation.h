// SPDX-License-Identifier: Apache-2.0
// Smoothed particle hydrodynamics (Mueller, Charypar and Gross 2003) with the constants of PARSEC's
// fluidanimate.
//
// A particle gathers what its neighbours do to it, in the order in which they lie in the grid: nothing is
// added to a shared sum, so every schedule gives the same floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fluid_file.h"

namespace fluidanimate {

// Calls a function for 0 .. count - 1, in any order and at the same time.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>&)>;

class Simulation {
 public:
  explicit Simulation(const Fluid& fluid);

  // One frame: 5 ms.
  void step(const ForEach& for_each);

  // The particles in the order they came in.
  Fluid fluid() const;

  float particle_mass() const { return mass_; }

 private:
  struct Cell {
    int x, y, z;
  };
  // The state of a particle and the number it came in with; sorted by grid cell.
  struct Body {
    Particle state;
    std::uint32_t number;
  };

  Cell cell_of(Vec position) const;
  std::size_t index_of(Cell cell) const;
  void sort_into_cells();
  float density_of(std::size_t body) const;
  Vec acceleration_of(std::size_t body) const;
  template <class Visit>
  void for_neighbours(std::size_t body, const Visit& visit) const;

  float particles_per_metre_, mass_, radius_;
  float density_factor_, pressure_factor_, viscosity_factor_;
  Cell cells_;  // how many along each edge
  Vec cell_size_;
  std::vector<Body> bodies_, sorted_;
  std::vector<std::uint32_t> first_;  // body of each cell; one more at the end
  std::vector<std::uint32_t> cell_;   // of each body, while sorting
  std::vector<float> densities_;
  std::vector<Vec> accelerations_;
};

}  // namespace fluidanimate
