// SPDX-License-Identifier: Apache-2.0
#include "gate/waits.h"

#include <gtest/gtest.h>

namespace weir::gate {
namespace {

constexpr std::int64_t us = 1000, ms = 1000 * us;

TEST(WaitsTest, are_short_until_a_few_in_a_row_were_long) {
  Waits waits;
  EXPECT_TRUE(waits.are_short());
  waits.add(100 * ms);
  EXPECT_TRUE(waits.are_short());
  for (int i = 0; i < 4; ++i) waits.add(3 * ms);
  EXPECT_FALSE(waits.are_short());
}

TEST(WaitsTest, are_long_until_some_were_short) {
  Waits waits;
  for (int i = 0; i < 100; ++i) waits.add(20 * ms);
  waits.add(100 * us);
  EXPECT_FALSE(waits.are_short());
  for (int i = 0; i < 20; ++i) waits.add(100 * us);
  EXPECT_TRUE(waits.are_short());
}

}  // namespace
}  // namespace weir::gate
