// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <ctime>

#include "base/disturbed.h"
#include "intercept/errno_edge.h"

namespace weir::intercept {

// What `wait` returns, as libc has it: -1 with errno set. It is made again, and told so, where a signal of weir's own ended it.
template <typename Wait>
int undisturbed(Wait wait) {
  for (bool again = false;; again = true) {
    const base::Disturbed disturbed;
    const int value = wait(again);
    if (value != -1 || !disturbed.by_us() || current_errno() != EINTR) [[likely]] return value;
    set_errno(disturbed.errno_before());
  }
}

// The same of `wait(limit)`, whose limit, if it has one, the kernel leaves as it is.
template <typename Wait>
int undisturbed_within(const timespec* limit, Wait wait) {
  const base::Left left(limit != nullptr);
  return undisturbed([&](bool again) {
    if (!again || !limit) return wait(limit);
    const timespec rest = left.of(*limit);  // the kernel has read it
    return wait(&rest);
  });
}

}  // namespace weir::intercept
