// SPDX-License-Identifier: Apache-2.0
#include "gate/pieces.h"

#include <gtest/gtest.h>

namespace weir::gate {
namespace {

constexpr std::int64_t us = 1000, ms = 1000 * us;

void add(Pieces& pieces, int count, std::int64_t ns) {
  for (int i = 0; i < count; ++i) pieces.add(ns);
}

TEST(PiecesTest, are_long_until_a_few_were_short) {
  Pieces pieces;
  EXPECT_FALSE(pieces.are_short());
  add(pieces, 30, 5 * us);
  EXPECT_TRUE(pieces.are_short());
}

TEST(PiecesTest, are_short_until_many_were_long) {
  Pieces pieces;
  add(pieces, 100, ms);
  EXPECT_TRUE(pieces.are_short());
  add(pieces, 10, 8 * ms);
  EXPECT_TRUE(pieces.are_short());
  add(pieces, 40, 8 * ms);
  EXPECT_FALSE(pieces.are_short());
}

TEST(PiecesTest, are_short_again_soon) {
  Pieces pieces;
  add(pieces, 1000, 8 * ms);
  EXPECT_FALSE(pieces.are_short());
  add(pieces, 100, 5 * us);
  EXPECT_TRUE(pieces.are_short());
}

TEST(PiecesTest, that_take_a_time_slice_are_long) {
  Pieces pieces;
  add(pieces, 1000, 2 * ms);
  EXPECT_TRUE(pieces.are_short());
  add(pieces, 1000, 4 * ms);
  EXPECT_FALSE(pieces.are_short());
}

TEST(PiecesTest, one_of_seconds_counts_as_one_of_milliseconds) {
  Pieces pieces;
  add(pieces, 1000, 5 * us);
  pieces.add(std::int64_t{20'000} * ms);
  EXPECT_TRUE(pieces.are_short());
}

TEST(PiecesTest, are_long_where_the_user_said_how_many_may_compute) {
  Pieces pieces;
  pieces.are_all_long();
  add(pieces, 1000, 5 * us);
  EXPECT_FALSE(pieces.are_short());
}

}  // namespace
}  // namespace weir::gate
