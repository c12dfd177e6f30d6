// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// Is the arena of this name (name_of_arena_here) a weir::io_arena? Asked for each call: libtbb's workers keep the place's
// bit, as it does not tell of all that leave.
bool is_io_arena(const void* name);

}  // namespace weir::tbb
