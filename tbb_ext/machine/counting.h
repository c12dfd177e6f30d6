// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// Has the program said that one task at a time runs where the calling thread is? It made an arena of one slot, or a control that
// allows one thread. Under auto such tasks keep their order: with one set aside the next would begin before it is over.
bool one_at_a_time();

}  // namespace weir::tbb
