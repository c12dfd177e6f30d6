// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a wait in libc is for may be done by a task that was set aside and goes on on this very thread. So while any is,
// the wait is cut into slices, and between two of them others may go on here.
#include <time.h>

#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"
#include "lane/runtime_code.h"
#include "path/yielding.h"

namespace weir::intercept {

// On a thread of OpenMP's, whose tasks are tied to it. oneTBB's go on anywhere, but a program may say how many threads there are, and all of
// them may wait so. A run-time's own code waits for work, with its locks held.
inline bool others_may_be_waited_for(const void* caller) {
  const base::Thread& thread = base::self_unsuspended();
  return (thread.omp || (thread.place & base::in_tbb_arena)) && !thread.engine_depth && path::others_are_aside() &&
         !lane::is_tasking_code(caller);
}

constexpr std::int64_t slice_ns = 2 * base::ns_per_ms;
constexpr std::int64_t first_slice_ns = slice_ns / 16;

inline bool is_time(const timespec& time) { return time.tv_nsec >= 0 && time.tv_nsec < base::ns_per_s; }

// As a limit on a wait: not so long that it could not be counted in ns.
inline bool is_limit(const timespec& time) { return is_time(time) && time.tv_sec >= 0 && time.tv_sec < 1'000'000'000; }
inline std::int64_t ns_of(const timespec& time) { return time.tv_sec * base::ns_per_s + time.tv_nsec; }

// The end of a wait's next slice.
struct Slice {
  Slice(clockid_t clock, const timespec* until, std::int64_t ns = slice_ns) {
    clock_gettime(clock, &end);
    end.tv_nsec += ns;
    if (end.tv_nsec >= 1'000'000'000) {
      ++end.tv_sec;
      end.tv_nsec -= 1'000'000'000;
    }
    last = until && (!is_time(*until) || comes_first(*until));
    if (last) end = *until;
  }
  bool comes_first(const timespec& until) const {
    return until.tv_sec != end.tv_sec ? until.tv_sec < end.tv_sec : until.tv_nsec <= end.tv_nsec;
  }

  timespec end;
  bool last;  // the wait's own limit comes first, or is none: libc is to say so at once
};

}  // namespace weir::intercept
