// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"

namespace weir::intercept {

// One call that opens something, made anew where it had no descriptor left and more is under way than without us: then the process's limit
// is raised as far as it may be; where it may not, others have a moment to close theirs.
class OpenRoom {
 public:
  bool made_for(Result result);

 private:
  int waits_ = 0;
};

// Runs a call that opens something, as `fill` makes it each time.
template <typename Fill>
Result run_with_room(meter::Caller caller, Fill fill) {
  OpenRoom room;
  Result result;
  do {
    path::Call call{path::Family::direct};
    fill(call);
    result = path::run(call, caller);
  } while (room.made_for(result));
  return result;
}

}  // namespace weir::intercept
