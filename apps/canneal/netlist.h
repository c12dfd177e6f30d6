// SPDX-License-Identifier: Apache-2.0
// PARSEC's .nets files: a line 'elements max_x max_y', then one an element, 'name type fanin fanin ... END'.
// The fan-in names other elements, before or after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace canneal {

struct Netlist {
  std::uint32_t max_x = 0, max_y = 0;  // the chip has max_x * max_y places
  std::vector<std::string> names;
  // Both ends of every net: the neighbours of element e are peers[first[e]] .. peers[first[e + 1] - 1].
  std::vector<std::uint32_t> first, peers;

  std::size_t size() const { return names.size(); }
  std::span<const std::uint32_t> neighbours(std::size_t element) const {
    return std::span(peers).subspan(first[element], first[element + 1] - first[element]);
  }
};

// Throws std::system_error where the file can't be read, std::runtime_error where it is no netlist.
Netlist read_netlist(const std::string& path);

// Writes a netlist of `elements`, most of whose nets join elements that lie near each other in a placement
// that is not written: so there is something for the annealer to find. Throws std::system_error.
void generate_netlist(const std::string& path, std::size_t elements, std::uint64_t seed);

}  // namespace canneal
