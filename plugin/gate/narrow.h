// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::gate {

// Not more than `cores` compute at once from now on, as where the program said so of what it is about to do; as many as before,
// when that is over. One at a time: the caller sees to that.
void narrow_to(std::int64_t cores);
void as_wide_as_before();

}  // namespace weir::gate
