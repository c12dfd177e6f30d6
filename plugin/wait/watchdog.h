// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::wait {

// What a stall was, as far as a runtime can tell: its threads only computed for long, or they waited for what was ready.
enum class Stall : std::uint8_t { unknown, computes, waits };

// What a runtime does on the driver's thread while ready tasks do not go on. More runtimes than there is room for are not asked.
struct OnStall {
  void (*make_them_go_on)();         // now and then
  Stall (*what_it_was)() = nullptr;  // once, some time after they did
};
void add_on_stall(const OnStall& runtime);
void tell_of_stall();
Stall what_stall_was();

// Finds out that tasks which could go on do not: every worker computes, or spins on something that only a task set aside
// would change. A pure function of what it is told.
//
//   watching --ready tasks, none resumed for patience--> tripped --one resumed, or none ready--> watching
class Watchdog {
 public:
  constexpr explicit Watchdog(std::int64_t patience_ns) : patience_ns_(patience_ns) {}

  enum class Verdict : std::uint8_t { nothing, tripped, healed };

  // ready: tasks woken and not yet going on; resumed: how many ever went on.
  Verdict look(std::int64_t now_ns, std::int64_t ready, std::int64_t resumed);

  void be_more_patient() { patience_ns_ *= 2; }

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
