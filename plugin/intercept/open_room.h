// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace weir::intercept {

// One call that opens something, made anew where it had no descriptor left and more is under way than without us: then the process's limit
// is raised as far as it may be; where it may not, others have a moment to close theirs.
class OpenRoom {
 public:
  bool made_for(Result result);

 private:
  int waits_ = 0;
};

}  // namespace weir::intercept
