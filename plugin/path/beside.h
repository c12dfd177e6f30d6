// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"

namespace weir::path {

// A call that goes on until all of it is done can't be cut into slices; and what it waits for may be done by a task that was set
// aside and goes on on this very thread. So a thread of ours makes it, by call.real(), and meanwhile the caller waits by slices
// and makes way for others between them. False: no such thread may, and nothing happened. After true the caller may stand on
// another thread. Precondition: the call is any thread's to make. (Where a handler of the program's would end it, by call.ends,
// it is not made so.)
bool made_beside(Call& call, Result* result);

}  // namespace weir::path
