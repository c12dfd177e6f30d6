// SPDX-License-Identifier: Apache-2.0
// Runs over a grid in which a cell may begin when its upper and its left neighbour are done, by each
// runtime's own means.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace smith_waterman {

enum class Way {
  serial,
  threads,  // a pool that takes ready cells from a queue
  async,    // an async() a cell, which waits for the futures of its neighbours: std's has as many threads as cells
  openmp,   // the diagonals one after the other, each a parallel loop
  openmp_tasks,  // a task a cell, depend(in: neighbours) depend(out: itself)
  tbb            // parallel_for_each that is fed with the cells that became ready
};
inline constexpr const char* way_names = "serial|threads|async|openmp|openmp-tasks|tbb";
bool parse_way(std::string_view name, Way& way);  // false: unknown

using Cell = std::function<void(std::size_t down, std::size_t across)>;

// Calls `cell` for each of the grid. `threads` 0: what the runtime takes by itself. Throws std::system_error
// where `async` gets no more threads from the system.
void wavefront(Way way, unsigned threads, std::size_t down, std::size_t across, const Cell& cell);

struct Front {
  std::size_t down, across;
  const Cell& cell;
};

// Way::async, a file of its own: the program that asks weir has another.
void by_async(const Front& grid);

}  // namespace smith_waterman
