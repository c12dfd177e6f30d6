// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>

// A wire between two ends on this machine: a process of its own that passes on, in each direction, `bytes_per_second` at
// most, in pieces of a few KiB. What is slow is the wire, then, and not the copying.
struct Wire {
  pid_t process;
  int ends[2];  // connected TCP sockets
};

// Before the first thread is started. Ends the program when it cannot.
Wire lay_wire(std::int64_t bytes_per_second);
// Both ends have been closed by everybody.
void take_up_wire(const Wire& wire);
