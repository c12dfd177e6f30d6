// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "intercept/errno_edge.h"
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

// make() makes the call.
template <typename Make>
Result with_room(Make make) {
  OpenRoom room;
  Result result;
  do result = make();
  while (room.made_for(result));
  return result;
}

// The same of a libc call that does not wait, for the one number it gives, or its success.
template <typename Make>
int made_with_room(Make make) {
  int made = make();
  if (made >= 0) [[likely]] return made;
  OpenRoom room;
  int before = current_errno();
  while (made < 0 && room.made_for(-current_errno())) {
    made = make();
    if (made >= 0) set_errno(before);
  }
  return made;
}

// Runs a call that opens something, as `fill` makes it each time.
template <typename Fill>
Result run_with_room(meter::Caller caller, Fill fill) {
  return with_room([=, &fill] {
    path::Call call{path::Family::direct};
    fill(call);
    return path::run(call, caller);
  });
}

}  // namespace weir::intercept
