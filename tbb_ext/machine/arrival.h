// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hooks.h"

namespace weir::tbb {

// Did our constructor run? Before that there are no settings.
bool prepared();

// The adapter, loaded when it is first wanted; nullptr: there is none (see `weir doctor`), and libtbb's threads are
// plain threads to us. Called by threads that enter libtbb, never under the loader's lock of our own making.
const weir_tbb_adapter* adapter();

}  // namespace weir::tbb
