// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include "path/call.h"

// What write and send share: a blocking call on a stream goes on until all is sent, the kernel's non-blocking one stops
// where it would block. So what was sent is kept in call.moved, and the next attempt goes on behind it.
namespace weir::intercept {

// How one name sends. `first` and `whole` are given all the parts; what is left after a partial send goes through
// pwritev2 or sendmsg, whichever the descriptor takes.
struct Outgoing {
  Result (*first)(const path::Call& call) = nullptr;  // without blocking
  Result (*whole)(const path::Call& call) = nullptr;  // libc's own
  bool continues = false;  // a pipe or a socket: a short result means that it would block
  bool socket = false;
  int flags = 0;           // send: the caller's
  const void* more = nullptr;  // what first and whole need beside the parts
};

const Outgoing& outgoing_of(const path::Call& call);

// The attempt and real of such a Call; its `arguments` is an Outgoing.
Result attempt_out(path::Call& call);
Result real_out(path::Call& call);

constexpr std::size_t most_of_one_call = 0x7ffff000;  // Linux cuts longer ones

// Before it cuts, the kernel refuses what is no memory of a program's: a count of -1, say, of a read that failed.
inline bool may_be_memory(const void* at, std::size_t bytes) {
  constexpr int address_bits = 47;
  auto begin = reinterpret_cast<std::uintptr_t>(at);
  return (begin | bytes) >> address_bits == 0 && (begin + bytes) >> address_bits == 0;
}

// The bytes of all parts together, as the kernel would count them; -1: it would refuse them (or they can't be read).
std::int64_t bytes_of(const iovec* parts, int count);

}  // namespace weir::intercept
