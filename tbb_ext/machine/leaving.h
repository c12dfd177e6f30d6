// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// The process ends on the calling thread, and stays on it from here on. Should it be one of libtbb's workers, libtbb is not
// to know it any more. Before libtbb's destructors run.
void leave_for_good();

}  // namespace weir::tbb
