// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/task.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weir::omp {
namespace {

struct Waiter : weir_waiter {
  Waiter() {
    wake = [](weir_waiter* self) { ++static_cast<Waiter*>(self)->wakes; };
  }
  std::atomic<int> wakes{0};
};

TEST(Tally, WakesItsWaiterOnceWithTheLastTask) {
  Tally tally;
  Waiter waiter;
  tally.up();
  tally.up();
  ASSERT_TRUE(tally.wait(&waiter));
  tally.down();
  EXPECT_EQ(waiter.wakes, 0);
  tally.down();
  EXPECT_EQ(waiter.wakes, 1);
  tally.waited();
  EXPECT_TRUE(tally.none());
}

TEST(Tally, DoesNotLetOneWaitForNothing) {
  Tally tally;
  Waiter waiter;
  EXPECT_FALSE(tally.wait(&waiter));
  tally.up();
  EXPECT_FALSE(tally.none());
  tally.down();
  EXPECT_TRUE(tally.none());
  EXPECT_EQ(waiter.wakes, 0);
}

TEST(Tally, LosesNoWakeWhenTasksEndWhileSomebodyBeginsToWait) {
  for (int round = 0; round < 500; ++round) {
    Tally tally;
    Waiter waiter;
    constexpr int threads = 2, each = 20;
    for (int i = 0; i < threads * each; ++i) tally.up();
    std::vector<std::thread> ends;
    for (int t = 0; t < threads; ++t)
      ends.emplace_back([&] {
        for (int i = 0; i < each; ++i) tally.down();
      });
    bool waits = tally.wait(&waiter);
    for (std::thread& end : ends) end.join();
    EXPECT_EQ(waiter.wakes, waits ? 1 : 0);
  }
}

}  // namespace
}  // namespace weir::omp
