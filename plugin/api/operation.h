// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::api {

// Of include/weir/operation.h: begun, and not over yet, or its function still runs.
int operations_under_way();

void operations_after_fork();

}  // namespace weir::api
