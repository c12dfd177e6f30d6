// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tbb_ext/hooks.h"

namespace weir::tbb {

// Did our constructor run? Before that there are no settings.
bool prepared();

// The adapter, loaded when it is first wanted; nullptr: there is none (see `weir doctor`), and libtbb's threads are
// plain threads to us. Called by threads that enter libtbb from
// outside, never from within: libtbb may hold locks that the adapter's arrival takes.
const weir_tbb_adapter* adapter();

}  // namespace weir::tbb
