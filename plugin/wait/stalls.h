// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wait/watchdog.h"

namespace weir::wait {

// Whether calls park, as the stalls so far have it. While nothing moves they do: the tasks that are ready get no more company. Some
// programs stall again and again: their calls had better park for good. Not so where threads only compute for long, as a runtime
// knows after two looks at them.
class Stalls {
 public:
  void one_begins(std::int64_t now_ns, std::int64_t look_ns);
  void one_is_over(std::int64_t now_ns, std::int64_t look_ns);

  // Is it time to ask what the last one was, or is?
  bool is_to_be_judged(std::int64_t now_ns) const { return known_ns_ && now_ns >= known_ns_; }
  void judge(Stall last, std::int64_t now_ns, std::int64_t look_ns);
  bool anything_to_know() const { return known_ns_; }

  Stall last() const { return last_; }
  bool calls_park() const { return count_ >= most || (goes_on_ && last_ != Stall::computes); }

 private:
  static constexpr int most = 3;

  int count_ = 0;  // of those that count: with the last one, unless that was found to be none
  Stall last_ = Stall::unknown;
  bool goes_on_ = false;
  std::int64_t known_ns_ = 0;  // from when on more is known of the last one; 0: no more
};

}  // namespace weir::wait
