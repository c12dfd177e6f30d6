// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

namespace weir::path {

struct Call;

// Is the call a read that waits for more than something to read? A socket with SO_RCVLOWAT gives nothing to a read that waits before
// so much is there, but all there is to one that doesn't.
bool waits_for_low_water(const Call& call);

// Some socket of the program's may have it: it set it, or was given a socket by another process.
void low_water_may_be_set();
void sockets_came(const msghdr& message);

}  // namespace weir::path
