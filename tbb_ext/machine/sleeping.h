// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

void find_next_syscall();

}  // namespace weir::tbb
