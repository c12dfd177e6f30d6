// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// Threads of a libtbb that was told more processors than there are hold a core while they compute. As long as there are
// no stand-ins nobody waits for one: the program has the threads it would have without us, and is to lose nothing.
void coming();
void going();
void stand_ins(int present);

}  // namespace weir::tbb
