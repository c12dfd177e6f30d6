// SPDX-License-Identifier: Apache-2.0
#include "wait/watchdog.h"

#include <gtest/gtest.h>

namespace weir::wait {
namespace {

using Verdict = Watchdog::Verdict;

TEST(WatchdogTest, is_quiet_while_tasks_go_on) {
  Watchdog dog(100);
  for (int t = 0; t < 1'000; t += 50) EXPECT_EQ(dog.look(t, 3, t), Verdict::nothing);
}

TEST(WatchdogTest, is_quiet_while_nothing_is_ready) {
  Watchdog dog(100);
  for (int t = 0; t < 1'000; t += 50) EXPECT_EQ(dog.look(t, 0, 7), Verdict::nothing);
}

TEST(WatchdogTest, trips_once_when_ready_tasks_do_not_go_on) {
  Watchdog dog(100);
  EXPECT_EQ(dog.look(0, 1, 1), Verdict::nothing);
  EXPECT_EQ(dog.look(60, 1, 1), Verdict::nothing);
  EXPECT_EQ(dog.look(110, 1, 1), Verdict::tripped);
  EXPECT_TRUE(dog.tripped());
  EXPECT_EQ(dog.look(200, 2, 1), Verdict::nothing);
  EXPECT_EQ(dog.tripped_ns(200), 100);  // since 0, with patience for 100
}

TEST(WatchdogTest, heals_on_progress) {
  Watchdog dog(100);
  dog.look(0, 1, 1);
  ASSERT_EQ(dog.look(150, 1, 1), Verdict::tripped);
  EXPECT_EQ(dog.look(160, 1, 2), Verdict::healed);
  dog.be_more_patient();
  EXPECT_EQ(dog.patience_ns(), 200);
  EXPECT_EQ(dog.look(300, 1, 2), Verdict::nothing);
  EXPECT_EQ(dog.look(370, 1, 2), Verdict::tripped);
}

}  // namespace
}  // namespace weir::wait
