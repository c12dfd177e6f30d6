// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a wait in libc is for may be done by a task that was set aside and goes on on this very thread. So while any is,
// the wait is cut into slices, and between two of them others may go on here.
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"
#include "lane/runtime_code.h"
#include "path/yielding.h"

namespace weir::intercept {

// On a thread of OpenMP's, whose tasks are tied to it; oneTBB's go on anywhere. A run-time's own code waits for work, with
// its locks held.
inline bool others_may_be_waited_for(const void* caller) {
  const base::Thread& thread = base::self_unsuspended();
  return thread.omp && !thread.engine_depth && path::others_are_aside() &&
         !lane::is_tasking_code(caller);
}

constexpr std::int64_t slice_ns = 2 * base::ns_per_ms;

// The end of a wait's next slice.
struct Slice {
  Slice(clockid_t clock, const timespec* until) {
    clock_gettime(clock, &end);
    end.tv_nsec += slice_ns;
    if (end.tv_nsec >= 1'000'000'000) {
      ++end.tv_sec;
      end.tv_nsec -= 1'000'000'000;
    }
    last = until && (until->tv_sec != end.tv_sec ? until->tv_sec < end.tv_sec : until->tv_nsec <= end.tv_nsec);
    if (last) end = *until;
  }
  timespec end;
  bool last;  // the wait's own limit comes first
};

}  // namespace weir::intercept
