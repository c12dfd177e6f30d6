// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "meter/counters.h"
#include "wait/watchdog.h"

namespace weir::omp {

// Does a thread that makes no call compute, or does it wait for what others will do? It is looked at twice, some 100 ms apart: who
// computes has other values in its registers then. Who counts while it waits has them too; but it makes a call soon after the others
// had their turn.
class Looked {
 public:
  // By the driver's thread, which then sends the thread a signal: that brings it to look, and the first time to no more.
  bool asks();
  bool is_only_look() const { return looks_.load(std::memory_order_relaxed) == asked; }

  // On the thread, in the signal's handler.
  void look(std::uint64_t registers);

  // What was ready there went on, on top of it or on another thread.
  void others_went_on();

  // By the driver's thread, some time after the stall is over. Of the next one it tells anew.
  wait::Stall judge();

 private:
  enum Looks : std::uint8_t { none, asked, first, second };

  std::atomic<Looks> looks_;
  std::atomic<bool> waits_;
  std::atomic<bool> others_went_on_;
  std::atomic<std::uint64_t> registers_;
  std::atomic<std::int64_t> calls_;                // so many it had made then
  std::atomic<const meter::Counters*> counters_;  // the thread's
};

}  // namespace weir::omp
