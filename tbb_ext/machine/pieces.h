// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// A loop's partitioner makes a few pieces a processor, and only one call of a piece can be under way. It makes more of them
// when it finds that pieces are stolen: there are threads without work then. A task set aside, or a thread that blocks,
// leaves one without work too. So for each call that waits, one piece may pass for stolen.
//
// That bounds what it costs a loop without calls of its own, beside one that has them.
void a_call_waits();

// Asked for a partitioner, when a piece begins. True: it is to pass for stolen.
bool more_pieces_wanted();

}  // namespace weir::tbb
