// SPDX-License-Identifier: Apache-2.0
#include "path/habit.h"

#include <gtest/gtest.h>

namespace weir::path {
namespace {

TEST(HabitTest, of_opens_the_last_few_count) {
  Habit habit;
  EXPECT_TRUE(habit.is_short());
  habit.took(10 * base::ns_per_ms);
  EXPECT_FALSE(habit.is_short());
  EXPECT_FALSE(habit.is_long());  // one alone says little
  for (int i = 0; i < 10; ++i) habit.took(0);
  EXPECT_TRUE(habit.is_short());
}

TEST(HabitTest, of_a_hundred_that_make_a_file_one_that_slept_counts) {
  making_files.took(10 * base::ns_per_ms);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(making_files.is_short());
    making_files.took(0);
  }
  for (int i = 0; i < 100; ++i) making_files.took(0);
  EXPECT_TRUE(making_files.is_short());
}

}  // namespace
}  // namespace weir::path
