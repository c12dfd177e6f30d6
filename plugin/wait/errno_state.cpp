// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_state.h"

#include <cerrno>

namespace weir::wait {

__attribute__((noinline)) int take_errno() {
  int value = errno;
  asm volatile("" : "+r"(value));
  return value;
}

__attribute__((noinline)) void put_back_errno(int value) {
  asm volatile("" : "+r"(value));
  errno = value;
}

}  // namespace weir::wait
