// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <thread>

namespace weir::sys {

// May a thread have a folder, or descriptors, of its own? A container may forbid it.
inline bool threads_may_part() {
  bool may = false;
  std::thread([&] { may = unshare(CLONE_FS) == 0; }).join();
  return may;
}

}  // namespace weir::sys
