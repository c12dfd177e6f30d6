// SPDX-License-Identifier: Apache-2.0
#include "meter/overlap.h"

#include <gtest/gtest.h>

namespace weir::meter {
namespace {

constexpr std::int64_t ms = 1'000'000;

// In a window of `clock`, all in milliseconds.
struct Window {
  std::int64_t clock, computed, flown, threads;
};

Overlap::Sum sum_of(std::initializer_list<Window> windows, std::int64_t between = 0) {
  Overlap overlap;
  Overlap::Look now;
  for (const Window& window : windows) {
    now.threads = window.threads;
    overlap.open(now);
    now.now_ns += window.clock * ms;
    now.cpu_ns += window.computed * ms;
    now.flown_ns += window.flown * ms;
    overlap.close(now);
    now.now_ns += between * ms;
    now.cpu_ns += between * ms;
  }
  return overlap.sum();
}

TEST(Overlap, WhatItsOwnThreadsWaitAndComputeIsNoGain) {
  Overlap::Sum sum = sum_of({{1000, 1100, 900, 2}});
  EXPECT_EQ(sum.gained_ns, 0);
  EXPECT_EQ(sum.clock_ns, 1000 * ms);
  EXPECT_EQ(sum.room_ns, 2000 * ms);
  EXPECT_EQ(sum.threads(), 2);
}

TEST(Overlap, WhatIsBeyondIsGainedByTheClockOfItsOwnThreads) {
  Overlap::Sum sum = sum_of({{1000, 2000, 8000, 2}});
  EXPECT_EQ(sum.gained_ns, 4000 * ms);
  EXPECT_EQ(sum.flown_ns, 8000 * ms);
  EXPECT_EQ(sum.computing_ns, 2000 * ms);
}

TEST(Overlap, AFewPercentAreWithinTheError) { EXPECT_EQ(sum_of({{1000, 1100, 990, 2}}).gained_ns, 0); }

TEST(Overlap, WhatIsComputedWhileNothingWaitsIsNeitherRoomNorGain) {
  Overlap::Sum sum = sum_of({{200, 100, 900, 2}, {200, 100, 900, 2}}, 10'000);
  EXPECT_EQ(sum.clock_ns, 400 * ms);
  EXPECT_EQ(sum.gained_ns, 600 * ms);
}

TEST(Overlap, WhatOnePartOfARunLeavesOverIsOfNoUseInAnother) {
  EXPECT_EQ(sum_of({{1000, 0, 1000, 2}, {1000, 2000, 2000, 2}}).gained_ns, 1000 * ms);
}

TEST(Overlap, ShortWindowsAreJudgedTogether) {
  // The processor time of each is off by as much as it is long.
  Overlap::Sum sum = sum_of({{10, 30, 10, 2}, {10, -10, 10, 2}, {10, 30, 10, 2}, {10, -10, 10, 2}});
  EXPECT_EQ(sum.gained_ns, 0);
  EXPECT_EQ(sum.clock_ns, 40 * ms);
}

TEST(Overlap, ATeamThatBeganOrEndedMeanwhileCounts) {
  Overlap overlap;
  overlap.open({});
  overlap.close({1000 * ms, 1000 * ms, 3000 * ms, 0, 0, 0, 4});
  EXPECT_EQ(overlap.sum().room_ns, 4000 * ms);
  EXPECT_EQ(overlap.sum().gained_ns, 0);
}

// Of 100 reads, 5 s each. The first took 100 ms.
TEST(Overlap, AWaitForADeviceIsAsLongAsItIsWithFewBesideIt) {
  Overlap overlap;
  overlap.open({0, 0, 0, 0, 0, 0, 2});
  overlap.close({5000 * ms, 1000 * ms, 500'000 * ms, 500'000 * ms, 100, 100 * ms, 2});
  EXPECT_EQ(overlap.sum().flown_ns, 500'000 * ms);
  EXPECT_EQ(overlap.sum().gained_ns, 500 * ms);  // 10 s of waiting and 1 s of computing, on two threads
}

}  // namespace
}  // namespace weir::meter
