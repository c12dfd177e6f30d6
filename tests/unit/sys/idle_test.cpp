// SPDX-License-Identifier: Apache-2.0
#include "sys/idle.h"

#include <gtest/gtest.h>

namespace weir::sys {
namespace {

std::uint64_t now() { return idle_state.load(); }

TEST(Idle, counts_those_without_a_task) {
  EXPECT_EQ(idle_threads(now()), 0);
  {
    Idle one, another;
    EXPECT_EQ(idle_threads(now()), 2);
  }
  EXPECT_EQ(idle_threads(now()), 0);
}

TEST(Idle, one_that_was_told_is_as_good_as_up) {
  Idle one, another;
  std::uint64_t before = now();
  EXPECT_EQ(idle_threads_but(0, before, now()), 2);
  EXPECT_EQ(idle_threads_but(1, before, now()), 1);
  EXPECT_EQ(idle_threads_but(2, before, now()), 0);
}

TEST(Idle, one_that_was_told_and_is_up_is_not_taken_for_another) {
  Idle stays;
  std::uint64_t before;
  {
    Idle told;
    before = now();
  }
  EXPECT_EQ(idle_threads_but(1, before, now()), 1);
}

TEST(Idle, one_that_is_idle_again_counts) {
  std::uint64_t before;
  {
    Idle told;
    before = now();
  }
  Idle again;
  EXPECT_EQ(idle_threads_but(1, before, now()), 1);
}

TEST(Idle, counts_on_past_the_end_of_its_numbers) {
  std::uint64_t before = std::uint64_t{0xffffffff} << 32 | 1;  // one is idle, and was told
  std::uint64_t after = before + one_ceased - 1;
  EXPECT_EQ(idle_threads_but(1, before, before), 0);
  EXPECT_EQ(idle_threads_but(1, before, after), 0);
  EXPECT_EQ(idle_threads_but(1, before, after + 1), 1);
}

}  // namespace
}  // namespace weir::sys
