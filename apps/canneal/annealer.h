// SPDX-License-Identifier: Apache-2.0
// Simulated annealing of a placement (Kirkpatrick, Gelatt and Vecchi 1983): swap the places of two elements
// when that shortens the nets, or by chance, less and less often, when it does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "netlist.h"

namespace canneal {

struct Place {
  std::int32_t x, y;
};
using Placement = std::vector<Place>;  // one an element

struct Schedule {
  std::uint64_t seed = 1;
  double temperature = 2000;  // at the start; divided by 1.5 after each step, as PARSEC does
  int steps = 32;             // temperatures
  std::size_t swaps = 10000;  // proposed at each temperature
  // Swaps of disjoint elements that are judged by the placement as it is before any of them: what can be done
  // at the same time. It decides the result, the number of threads does not. 1 is annealing by the book.
  std::size_t batch = 1;
};

// Calls a function for 0 .. count - 1, in any order and at the same time.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>&)>;

Placement random_placement(const Netlist& netlist, std::uint64_t seed);

// The Manhattan length of all nets.
std::uint64_t routing_cost(const Netlist& netlist, const Placement& placement);

// Anneals `placement`. `for_each` is used where a batch has more than one swap. `progress` is told each step
// done.
void anneal(const Netlist& netlist, const Schedule& schedule, Placement& placement, const ForEach& for_each,
            const std::function<void(int step)>& progress);

// A line 'name x y' an element. Throws std::system_error.
void write_placement(const std::string& path, const Netlist& netlist, const Placement& placement);

}  // namespace canneal
