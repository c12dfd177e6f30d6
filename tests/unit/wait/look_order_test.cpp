// SPDX-License-Identifier: Apache-2.0
#include "wait/look_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::wait {
namespace {

TEST(LookOrderTest, CountsThoseThatBeganBefore) {
  LookOrder order;
  for (std::int64_t i = 0; i < 1000; ++i) {
    LookOrder::Place place = order.joins(order.next_number());
    EXPECT_EQ(place.older, i);
    EXPECT_EQ(place.company, i + 1);
  }
  order.leaves(3);
  order.leaves(500);
  order.leaves(700);
  EXPECT_EQ(order.joins(500).older, 499);
  EXPECT_EQ(order.joins(3).older, 3);
  EXPECT_EQ(order.company(), 999);
}

TEST(LookOrderTest, SharesATimeAmongThoseThatStandBack) {
  LookOrder order;
  EXPECT_EQ(order.share_of(2000, 125), 2000);
  for (int i = 0; i < 9; ++i) order.joins(order.next_number());
  EXPECT_EQ(order.share_of(2000, 125), 200);
  for (int i = 0; i < 90; ++i) order.joins(order.next_number());
  EXPECT_EQ(order.share_of(2000, 125), 125);
  EXPECT_EQ(order.share_of(100, 125), 100);
}

TEST(LookOrderTest, GoesRoundItsNumbers) {
  LookOrder order;
  for (std::uint64_t i = 0; i < 10 * LookOrder::numbers; ++i) {
    std::uint64_t number = order.next_number();
    ASSERT_EQ(number, i);
    if (i < 5) continue;
    LookOrder::Place place = order.joins(number);
    ASSERT_EQ(place.older, i < 104 ? static_cast<std::int64_t>(i) - 5 : 99) << i;
    if (i >= 104) order.leaves(number - 99);
  }
  EXPECT_EQ(order.company(), 99);
}

TEST(LookOrderTest, MistakesTheEldestForOthersAtMost) {
  LookOrder order;
  order.joins(order.next_number());
  std::uint64_t last = 0;
  while (last < 3 * LookOrder::numbers) last = order.next_number();
  EXPECT_LE(order.joins(last).older, 1);
  order.leaves(last);
  order.leaves(0);
  EXPECT_EQ(order.joins(last).older, 0);
}

TEST(LookOrderTest, HasNobodyInAForkedChild) {
  LookOrder order;
  for (int i = 0; i < 100; ++i) order.joins(order.next_number());
  order.after_fork();
  EXPECT_EQ(order.company(), 0);
  EXPECT_EQ(order.joins(order.next_number()).older, 0);
}

}  // namespace
}  // namespace weir::wait
