// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::api {

// Registers weir's counters as PAPI software-defined events ("sde:::weir::CALLS" ...), if the process has libsde loaded.
// Without it nothing happens: weir never loads it.
void publish_counters();

}  // namespace weir::api
