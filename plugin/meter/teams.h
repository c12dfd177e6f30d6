// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::meter {

// What became of OpenMP teams: for the report. Written by omp_ext, relaxed.
struct Teams {
  std::atomic<const char*> kept_out{nullptr};  // the setting or call that left no room for stand-ins; a literal
  std::atomic<const char*> narrow{nullptr};    // why the last one of the regions that never have stand-ins has none; a literal
  std::atomic<std::int64_t> widened{0};        // regions run with stand-ins
  std::atomic<std::int64_t> widest{0};         // the largest team weir asked for
  std::atomic<std::int64_t> smallest_crew{0};  // the fewest of such a team that took the pieces of a loop; 0: all did
};
extern Teams teams;

}  // namespace weir::meter
