// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::pool {

// A thread of ours that looks at the workers now and then while they serve, since none of them can once they all block.
//
//   asleep --stir()--> awake, a look every few ms --all were idle for some looks--> asleep
class Watch {
 public:
  enum class Found {
    idle,      // every worker sleeps for lack of work
    moving,    // some compute, or began something since the look before
    quiet,     // nothing was begun, and nothing is to be
    stuck,     // something could be, and every worker blocks
  };
  struct Duties {
    Found (*look)();
    void (*relieve)();  // they are stuck
  };

  // Once a process. Without memory for a thread there is no watch.
  void start(const Duties& duties);
  // A worker comes back to work. (seq_cst: one of the two sees the other; who falls asleep looks once more after it has said so.)
  void stir() {
    if (asleep_.load(std::memory_order_seq_cst)) wake();
  }
  void after_fork() { asleep_.store(0); }

 private:
  void wake();
  void keep();
  void sleep();

  std::atomic<std::uint32_t> asleep_{0};
  Duties duties_{};
};

}  // namespace weir::pool
