// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::wait {

// Called on the driver's thread, now and then, while ready tasks do not go on: a runtime that can make them, does. Of one
// runtime each; more than there is room for are not called.
void add_on_stall(void (*make_them_go_on)());
void tell_of_stall();

// Finds out that tasks which could go on do not: every worker computes, or spins on something that only a task set aside
// would change. Weir can't tell the two apart, so it stops setting tasks aside until the ready ones went on, and is
// twice as patient from then on. A pure function of what it is told.
//
//   watching --ready tasks, none resumed for patience--> tripped --one resumed, or none ready--> watching, patience x 2
class Watchdog {
 public:
  constexpr explicit Watchdog(std::int64_t patience_ns) : patience_ns_(patience_ns) {}

  enum class Verdict : std::uint8_t { nothing, tripped, healed };

  // ready: tasks woken and not yet going on; resumed: how many ever went on.
  Verdict look(std::int64_t now_ns, std::int64_t ready, std::int64_t resumed);

  bool tripped() const { return tripped_; }
  // While it has tripped: for how long beyond its patience.
  std::int64_t tripped_ns(std::int64_t now_ns) const { return now_ns - since_ns_ - patience_ns_; }
  std::int64_t patience_ns() const { return patience_ns_; }

 private:
  std::int64_t patience_ns_;
  std::int64_t since_ns_ = -1;  // when this set of ready tasks was first seen without progress
  std::int64_t resumed_ = 0;
  bool tripped_ = false;
};

}  // namespace weir::wait
