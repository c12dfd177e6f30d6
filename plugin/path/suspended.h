// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"
#include "path/plan.h"

struct weir_runtime;

namespace weir::path {

// The task is set aside and the thread takes others; where that may not be, the thread blocks.
Result suspended(Call& call, const Plan& plan, const weir_runtime& runtime);

}  // namespace weir::path
