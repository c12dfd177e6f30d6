// SPDX-License-Identifier: Apache-2.0
#include <weir/future.hpp>

#include <vector>

#include "../smith_waterman/wavefront.h"

namespace smith_waterman {

// The same as with std, but for the name: waits set the task aside, so that there are no more threads than cores.
void by_async(const Front& grid) {
  std::vector<weir::shared_future<void>> done(grid.down * grid.across);
  for (std::size_t d = 0; d < grid.down; ++d) {
    for (std::size_t a = 0; a < grid.across; ++a) {
      const std::size_t here = d * grid.across + a;
      const auto up = d != 0 ? done[here - grid.across] : weir::shared_future<void>();
      const auto left = a != 0 ? done[here - 1] : weir::shared_future<void>();
      done[here] = weir::async([&grid, d, a, up, left] {
        if (up.valid()) up.wait();
        if (left.valid()) left.wait();
        grid.cell(d, a);
      });
    }
  }
  for (const auto& one : done) one.get();
}

}  // namespace smith_waterman
