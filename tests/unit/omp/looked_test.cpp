// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/looked.h"

#include <gtest/gtest.h>

namespace weir::omp {
namespace {

using wait::Stall;

void look_twice(Looked& thread, std::uint64_t registers, std::uint64_t later) {
  EXPECT_TRUE(thread.asks());
  EXPECT_TRUE(thread.is_only_look());
  thread.look(registers);
  EXPECT_TRUE(thread.asks());
  EXPECT_FALSE(thread.is_only_look());
  thread.look(later);
}

TEST(LookedTest, who_is_where_it_was_waits) {
  Looked thread{};
  look_twice(thread, 7, 7);
  EXPECT_EQ(thread.judge(), Stall::waits);
  EXPECT_EQ(thread.judge(), Stall::unknown);
}

TEST(LookedTest, who_got_somewhere_computes) {
  Looked thread{};
  look_twice(thread, 7, 8);
  EXPECT_FALSE(thread.asks());
  EXPECT_EQ(thread.judge(), Stall::computes);
}

TEST(LookedTest, who_made_a_call_between_computes) {
  Looked thread{};
  thread.asks();
  thread.look(7);
  meter::mine().calls.add(1);
  thread.asks();
  thread.look(7);
  EXPECT_EQ(thread.judge(), Stall::computes);
}

TEST(LookedTest, who_makes_a_call_once_others_went_on_had_waited_for_them) {
  Looked thread{};
  look_twice(thread, 7, 8);
  meter::mine().calls.add(1);  // one of theirs
  thread.others_went_on();
  meter::mine().calls.add(1);
  EXPECT_EQ(thread.judge(), Stall::waits);
  look_twice(thread, 7, 8);
  thread.others_went_on();
  EXPECT_EQ(thread.judge(), Stall::computes);
}

TEST(LookedTest, of_who_was_not_looked_at_nothing_is_known) {
  Looked thread{};
  thread.others_went_on();
  EXPECT_EQ(thread.judge(), Stall::unknown);
  thread.asks();
  EXPECT_EQ(thread.judge(), Stall::unknown);
}

}  // namespace
}  // namespace weir::omp
