// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <time.h>

namespace weir::base {

std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * ns_per_s + t.tv_nsec;
}

}  // namespace weir::base
