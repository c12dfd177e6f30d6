// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "omp_ext/region.h"

namespace weir::team {

// A thread's seat: the region of the team it works in, with marks in the low bits. Three words have this form: what the
// thread record keeps (base::TeamSeat::team), what OMPT keeps for the parallel region, and what it keeps for each
// implicit task: there it is the seat the thread had before, to be restored when the task ends.
constexpr std::uintptr_t wide_mark = 1;     // the team has stand-ins: its threads take and give core slots
constexpr std::uintptr_t ours_mark = 2;     // (implicit task) written by us: other tasks have 0 or an address here
constexpr std::uintptr_t waiting_mark = 4;  // (implicit task) it stands at a barrier or a taskwait
constexpr std::uintptr_t inner_mark = 8;    // a team within a team: the region is the outer one's
constexpr std::uintptr_t crowded_mark = 16;  // the outermost team has more threads than there are cores, and no stand-ins
constexpr std::uintptr_t marks = 63;        // Regions are aligned to 64

constexpr bool is_wide(std::uintptr_t seat) { return seat & wide_mark; }
constexpr bool is_inner(std::uintptr_t seat) { return seat & inner_mark; }
constexpr bool is_crowded(std::uintptr_t seat) { return seat & crowded_mark; }
inline Region* region_of_seat(std::uintptr_t seat) { return reinterpret_cast<Region*>(seat & ~marks); }
inline std::uintptr_t seat_in(Region& region, bool wide) {
  return reinterpret_cast<std::uintptr_t>(&region) | (wide ? wide_mark : 0);
}

}  // namespace weir::team
