// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weir/runtime.h"

namespace weir::wait {

// The runtimes of this process. They come (a libtbb by dlopen, say) and never go.
int add_runtime(const weir_runtime* runtime, std::uint32_t place_bits);

// The one that stands for any of these place bits, or nullptr. Lock-free.
const weir_runtime* runtime_of(std::uint32_t place_bits);

}  // namespace weir::wait
