// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meter/reason.h"
#include "path/call.h"

namespace weir::path {

// How a call can be waited for with its task set aside.
enum class Way : std::uint8_t {
  none,     // not at all: `reason`
  poll,     // until the descriptor is ready; then attempt again
  receive,  // the operation itself, from a socket or a pipe, into the program's memory
  file,     // the operation itself, at an offset of its own, into the program's memory
  warm,     // read the range into nowhere, so that it is cached; then the call itself, which keeps the shared offset
  direct,   // call.operation
  errand,   // a thread of ours makes the call
};

struct Plan {
  Way way = Way::none;
  meter::Reason reason = meter::Reason::none;
  std::uint32_t events = 0;       // poll
  bool storage = false;           // binds a permit; no signal ends it natively
  bool park_only = false;         // blocks, but not in a way the ring could wait for
  bool tried = true;              // receive: an attempt found nothing
  bool socket = false;            // receive: from one
  bool limited = false;           // a socket with a time limit: never restarted after a signal
  std::int64_t timeout_ns = -1;   // the call's, or the socket's SO_*TIMEO
};

// Only others end such a wait.
inline bool waits_for_others(const Plan& plan) { return plan.way == Way::poll || plan.way == Way::receive; }

inline bool is_sleep(const Call& call, const Plan& plan) {
  return plan.way == Way::direct && call.operation && call.operation->kind == op::Kind::timeout;
}

// A wait that the device, the kernel or the clock ends, whatever others do meanwhile. (What only a thread can wait for has a habit
// where it is a file's affair, a name's or a folder's; a condition, a child, a lock of a file have none.)
bool ends_by_itself(const Call& call, const Plan& plan);

// Asks the kernel about the descriptor, anew each time: what was true at the last call may not be now.
Plan plan_for(const Call& call);

// Would a read of this socket wait, for as long as it takes? What is no descriptor any more waits as it began to.
bool waits_without_limit(int socket);

// Can the ring be asked without a try before, if the descriptor is a socket?
bool may_go_untried(const Call& call);

// Is the descriptor a file on a device?
bool is_of_device(const Call& call);

}  // namespace weir::path
