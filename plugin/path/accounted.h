// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gate/connecting.h"
#include "meter/reason.h"
#include "path/call.h"

namespace weir::path {

// For a trace: libc's own name.
inline const char* name_of(const Call& call) { return call.caller.call ? call.caller.call : "call"; }

void count_reason(meter::Reason reason);

struct Took {
  std::int64_t waited_ns, hidden_ns;
};

// To where it was called from.
void account(const Call& call, meter::Served served, meter::Reason reason, Took took, Result result);

// One that waited with its thread blocked.
void count_parked(const Call& call, meter::Reason reason, Took took, Result result);

// What a task's connection brought tells that it was accepted.
inline void received(const Call& call, Result result) {
  if (call.direction == Direction::in && result >= 0) gate::connection_is_old_at(call.fd);
}

// libc's own call, with the errno that the program had, and once more where a signal of weir's own ended it.
Result real(Call& call);

// The same for one that is passed through, because of `reason`; counted.
Result plain(Call& call, meter::Reason reason);

}  // namespace weir::path
