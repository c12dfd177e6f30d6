// SPDX-License-Identifier: Apache-2.0
#include "wait/stalls.h"

#include <gtest/gtest.h>

namespace weir::wait {
namespace {

constexpr std::int64_t look = 10;

void one(Stalls& stalls, Stall kind) {
  stalls.one_begins(100, look);
  stalls.one_is_over(150, look);
  stalls.judge(kind, 160, look);
}

TEST(StallsTest, calls_park_while_one_goes_on) {
  Stalls stalls;
  EXPECT_FALSE(stalls.calls_park());
  stalls.one_begins(100, look);
  EXPECT_TRUE(stalls.calls_park());
  stalls.one_is_over(150, look);
  EXPECT_FALSE(stalls.calls_park());
}

TEST(StallsTest, calls_park_for_good_after_three) {
  for (Stall kind : {Stall::unknown, Stall::waits}) {
    Stalls stalls;
    one(stalls, kind);
    one(stalls, kind);
    EXPECT_FALSE(stalls.calls_park());
    one(stalls, kind);
    EXPECT_TRUE(stalls.calls_park());
  }
}

TEST(StallsTest, who_only_computes_for_long_does_not_count) {
  Stalls stalls;
  for (int i = 0; i < 20; ++i) {
    one(stalls, Stall::computes);
    EXPECT_FALSE(stalls.calls_park());
  }
}

TEST(StallsTest, while_one_goes_on_that_is_none_calls_do_not_park) {
  Stalls stalls;
  stalls.one_begins(100, look);
  EXPECT_FALSE(stalls.is_to_be_judged(119));
  ASSERT_TRUE(stalls.is_to_be_judged(120));
  stalls.judge(Stall::computes, 120, look);
  EXPECT_FALSE(stalls.calls_park());
  ASSERT_TRUE(stalls.is_to_be_judged(140));
  stalls.judge(Stall::waits, 140, look);
  EXPECT_TRUE(stalls.calls_park());
}

TEST(StallsTest, one_that_is_found_to_be_none_once_it_is_over_does_not_count) {
  Stalls stalls;
  one(stalls, Stall::waits);
  one(stalls, Stall::waits);
  stalls.one_begins(300, look);
  stalls.one_is_over(350, look);
  EXPECT_TRUE(stalls.calls_park());
  ASSERT_TRUE(stalls.is_to_be_judged(360));
  stalls.judge(Stall::computes, 360, look);
  EXPECT_FALSE(stalls.calls_park());
  EXPECT_FALSE(stalls.anything_to_know());
}

}  // namespace
}  // namespace weir::wait
