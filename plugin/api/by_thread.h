// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "op/op.h"

namespace weir::api {

// An operation where there is no ring: on a thread of its own, in steps that wait for a moment only. `cancelled` != 0 ends it
// with -ECANCELED between two of them, or with what it has moved. Not for files, which nothing ends.
Result do_in_steps(const op::Op& operation, std::atomic<std::uint32_t>& cancelled);

}  // namespace weir::api
