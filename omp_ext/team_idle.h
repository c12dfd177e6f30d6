// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::team {

// libomp spins, yielding, where it cannot sleep: in a taskwait without a task to run, before a loop's turn. With hundreds of
// stand-ins that takes the cores from those that compute. To be called when a thread yields: true, it was such a
// thread of a team with stand-ins, and it has slept a little without a core. `caller`: the code that yields.
bool slept_for_lack_of_work(const void* caller);

}  // namespace weir::team
