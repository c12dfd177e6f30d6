// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// Lets the process have as many descriptors as its hard limit says, or so many if that is more. False: it has.
bool raise_file_limit(std::int64_t most);
constexpr std::int64_t any_number = 1 << 20;  // what the kernel gives, unless told otherwise (fs.nr_open)

// That limit, however many it may have at present; `many` where there is none.
std::int64_t file_limit_within_reach(std::int64_t many);

}  // namespace weir::sys
