// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"

// A call on a stream that has moved a part, and waits for the rest. The kernel's own ends with that part when the other end
// resets or a handler runs, were it one with SA_RESTART, and the error is the next call's.
namespace weir::intercept {

// Is a socket's wait over, for all that is still to be read from it? An error is not used up, as a call of ours would.
// (Of a unix socket the kernel's call uses it up: so does this.)
bool ended(int fd, short events);

// Blocks, and attempts, until the attempt does not say -EAGAIN, or a handler runs, or the socket's time is over.
// call.moved is not zero. Gives the whole call's result.
Result attempt_until_over(path::Call& call, short events);

}  // namespace weir::intercept
