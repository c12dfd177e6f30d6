// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/task.h>

#include <cstdint>
#include <mutex>

namespace weir::tbb {

// The tasks of one arena that could go on. libtbb keeps what it is to resume in as many lists as the arena has slots, takes one by
// chance for each task, and looks into one after another: with hundreds, some wait several times as long as others. So it is told
// of a few at a time, in the order in which they became ready, and of the next one when one of them goes on.
class Turns {
 public:
  struct Ready {
    ::tbb::task::suspend_point point;
    Ready* next = nullptr;
  };

  // From any thread. It may go on at once, and be gone.
  void add(Ready& one);
  // One of those added goes on.
  void one_goes_on();
  bool any_is_told() {
    std::lock_guard locked(lock_);
    return told_;
  }
  // Is libtbb told of some, and did none go on since this was last asked?
  bool are_stuck();
  // Since then one did.
  bool one_has_gone_on();
  // Calls `act` if libtbb was told of one that did not go on yet. The arena is there as long as that one is, which waits for `act`.
  template <typename F>
  void while_one_is_told(F act) {
    std::lock_guard locked(lock_);
    if (told_) act();
  }

 private:
  Ready* next_to_tell();

  std::mutex lock_;
  std::uint64_t gone_on_ = 0, seen_ = 0;
  Ready* first_ = nullptr;
  Ready* last_ = nullptr;
  int told_ = 0;  // libtbb was told of so many that did not go on yet; as many as it is ever told of, while others wait here
};

}  // namespace weir::tbb
