// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir {

// The one error dialect: a value (>= 0) or -errno. errno itself is assigned only at the edge, in
// intercept/errno_edge.cpp.
using Result = std::int64_t;

constexpr bool failed(Result result) { return result < 0; }

}  // namespace weir
