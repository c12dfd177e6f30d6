// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// Has the program said that one task at a time runs where the calling thread is, in an arena that was made of so many slots? It
// made it of one, or a control that allows one thread. Under auto such tasks keep their order: with one set aside the next would
// begin before it is over.
bool one_at_a_time(int slots);

}  // namespace weir::tbb
