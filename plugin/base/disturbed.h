// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

#include "base/clock.h"
#include "base/thread.h"

namespace weir::base {

// A busy thread may be interrupted by weir's own signal (interrupt/). Some waits no signal restarts, whatever its handler: one that
// the thread begins right then would fail with EINTR, in a program that has no handlers. What has moved a part ends with that.

// Around one such call. While it lasts its caller stays on its thread.
class Disturbed {
 public:
  Disturbed() { thread_.cut_short = false; }
  // Was it weir's signal, and no handler of the program's, that ended it?
  bool by_us() const { return thread_.cut_short && thread_.handlers_run == run_; }
  int errno_before() const { return thread_.errno_before; }

 private:
  Thread& thread_ = self_unsuspended();
  std::uint32_t run_ = thread_.handlers_run;
};

// What is left of a wait's own limit. Every wait asks for the time as it begins, and next to none for what is left: so by a clock that
// costs little and stands for up to 10 ms. What is left may be so much more, and is no less.
class Left {
 public:
  explicit Left(bool has_limit) : began_ns_(has_limit ? began_by_ns() : 0) {}
  std::int64_t of(std::int64_t limit_ns) const {
    std::int64_t left_ns = began_ns_ + limit_ns - now_ns();
    return left_ns < 0 ? 0 : left_ns < limit_ns ? left_ns : limit_ns;
  }
  int of_ms(int limit_ms) const {
    return limit_ms < 0 ? limit_ms : static_cast<int>((of(limit_ms * ns_per_ms) + ns_per_ms - 1) / ns_per_ms);
  }
  timespec of(const timespec& limit) const {
    constexpr time_t longest_s = 1'000'000'000;  // longer than we count
    if (limit.tv_sec > longest_s) return limit;
    std::int64_t left_ns = of(limit.tv_sec * ns_per_s + limit.tv_nsec);
    return {static_cast<time_t>(left_ns / ns_per_s), static_cast<long>(left_ns % ns_per_s)};
  }

 private:
  static std::int64_t began_by_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * ns_per_s + time.tv_nsec + 10 * ns_per_ms;
  }
  std::int64_t began_ns_;
};

}  // namespace weir::base
