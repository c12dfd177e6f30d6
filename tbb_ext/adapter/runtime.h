// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weir/runtime.h"

namespace weir::tbb {

extern const weir_runtime runtime;  // oneTBB, as the engine sees it

// Makes it known to the engine; once, whoever asks.
void register_runtime();

}  // namespace weir::tbb
