// SPDX-License-Identifier: Apache-2.0
#include "intercept/errno_edge.h"

#include <cerrno>

namespace weir::intercept {

__attribute__((noinline)) int current_errno() { return errno; }

__attribute__((noinline)) void set_errno(int value) { errno = value; }

long deliver(Result result) {
  if (!failed(result)) return result;
  set_errno(static_cast<int>(-result));
  return -1;
}

Result outcome(long value) { return value == -1 ? -current_errno() : value; }

}  // namespace weir::intercept
