// SPDX-License-Identifier: Apache-2.0
#include "gate/memory.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "gate/cores.h"

namespace weir::gate {
namespace {

constexpr std::int64_t mb = 1 << 20, gb = 1 << 30;

TEST(MemoryTest, is_short_when_more_was_taken_than_is_left) {
  EXPECT_FALSE(becomes_short({16 * gb, 15 * gb, gb}));
  EXPECT_TRUE(becomes_short({16 * gb, 7 * gb, 9 * gb}));
  // What others have: it is little that is left, but it is not this program that took it.
  EXPECT_FALSE(becomes_short({16 * gb, 2 * gb, gb}));
  // What the program took of very much.
  EXPECT_FALSE(becomes_short({1000 * gb, 600 * gb, 300 * gb}));
}

TEST(MemoryTest, stays_so_until_those_who_had_begun_are_through) {
  EXPECT_TRUE(stays_short({16 * gb, 8 * gb, 4 * gb}, true));
  EXPECT_FALSE(stays_short({16 * gb, 8 * gb, 4 * gb}, false));
  EXPECT_TRUE(stays_short({16 * gb, 8 * gb, 7 * gb}, false));
  EXPECT_FALSE(stays_short({16 * gb, 13 * gb, 3 * gb}, true));
}

TEST(MemoryTest, fewer_go_on_the_less_is_left) {
  EXPECT_EQ(that_go_on({16 * gb, 8 * gb, 8 * gb}, 8), 8);
  EXPECT_EQ(that_go_on({16 * gb, 2 * gb, 14 * gb}, 8), 4);
  EXPECT_EQ(that_go_on({16 * gb, 0, 16 * gb}, 8), 1);
  EXPECT_EQ(that_go_on({}, 8), 8);
}

TEST(MemoryTest, is_looked_at_as_soon_as_it_could_be_short) {
  EXPECT_EQ(next_look_ns({64 * gb, 60 * gb, 0}), 1000 * base::ns_per_ms);
  EXPECT_EQ(next_look_ns({gb, 400 * mb, 600 * mb}), 5 * base::ns_per_ms);
  EXPECT_EQ(next_look_ns({}), 1000 * base::ns_per_ms);
  EXPECT_LT(next_look_ns({gb, 900 * mb, 0}), 100 * base::ns_per_ms);
}

TEST(MemoryTest, cores_are_held_to_a_number_whatever_is_spare) {
  Cores cores;
  cores.set_limit(2, 4);
  cores.hold_to(1);
  EXPECT_TRUE(cores.take_in_turn(0));
  EXPECT_FALSE(cores.crowded());
  EXPECT_FALSE(cores.take_in_turn(base::ns_per_ms));
  EXPECT_EQ(cores.held(), 1);
  cores.hold_to(Cores::any_number);
  EXPECT_TRUE(cores.take_in_turn(0));
  EXPECT_EQ(cores.held(), 2);
}

}  // namespace
}  // namespace weir::gate
