// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/crew.h"

#include <gtest/gtest.h>

namespace weir::team {
namespace {

constexpr std::int64_t cores = 2, team = 130;

// What a process does that keeps the cores busy with `enough` threads, and with fewer in proportion.
double busy_with(std::int64_t threads, std::int64_t enough) {
  return threads >= enough ? 0.99 : 0.99 * static_cast<double>(threads) / static_cast<double>(enough);
}

std::int64_t after(Crew& crew, int windows, std::int64_t enough) {
  for (int i = 0; i < windows; ++i) {
    std::int64_t at_work = std::min(crew.most(), team);
    crew.step(busy_with(at_work, enough), at_work, cores);
  }
  return std::min(crew.most(), team);
}

TEST(CrewTest, is_all_while_the_cores_have_time) {
  Crew crew;
  EXPECT_EQ(after(crew, 1000, 200), team);
  EXPECT_EQ(crew.most(), Crew::all);
}

TEST(CrewTest, is_small_where_a_few_keep_the_cores_busy) {
  Crew crew;
  EXPECT_EQ(after(crew, 30, 2), 8 * cores);
  EXPECT_EQ(after(crew, 1000, 2), 8 * cores);
}

TEST(CrewTest, is_not_smaller_than_keeps_the_cores_busy) {
  Crew crew;
  after(crew, 30, 40);
  int too_few = 0;
  for (int i = 0; i < 1000; ++i) too_few += after(crew, 1, 40) < 40;
  EXPECT_LT(too_few, 40);  // now and then it is tried again
}

TEST(CrewTest, grows_at_once_where_calls_begin_to_wait_and_shrinks_again) {
  Crew crew;
  after(crew, 30, 2);
  EXPECT_GE(after(crew, 5, 100), 96);
  EXPECT_LE(after(crew, 600, 2), 24);
}

TEST(CrewTest, does_not_grow_for_one_window_that_fell_out_of_line) {
  Crew crew;
  std::int64_t small = after(crew, 30, 2);
  for (int i = 0; i < 100; ++i) {
    crew.step(0.7, small, cores);
    EXPECT_EQ(after(crew, 5, 2), small);
  }
}

TEST(CrewTest, shrinks_where_windows_overlap) {  // what is computed in one counts in the next, now and then
  Crew crew;
  for (int i = 0; i < 4; ++i) crew.step(i % 2 ? 1.05 : 0.92, team, cores);
  EXPECT_LT(crew.most(), team);
}

// The kernel's own threads have a part of the cores: then no number of threads is busy all the time.
TEST(CrewTest, is_as_small_where_more_bring_nothing) {
  Crew crew;
  int small = 0, too_few = 0;
  for (int i = 0; i < 1000; ++i) {
    std::int64_t at_work = std::min(crew.most(), team);
    crew.step(0.9 * busy_with(at_work, 20), at_work, cores);
    small += at_work <= 40;
    too_few += at_work < 20;
  }
  EXPECT_GT(small, 900);
  EXPECT_LT(too_few, 60);
}

TEST(CrewTest, grows_again_where_what_was_enough_is_not) {
  Crew crew;
  for (int i = 0; i < 200; ++i) {
    std::int64_t at_work = std::min(crew.most(), team);
    crew.step(0.9 * busy_with(at_work, 20), at_work, cores);
  }
  EXPECT_GE(after(crew, 12, 60), 48);
}

TEST(CrewTest, is_unmoved_where_others_have_a_part_of_the_cores) {
  Crew crew;
  for (int i = 0; i < 100; ++i) crew.step(0.7, team, cores);
  EXPECT_EQ(crew.most(), Crew::all);
}

TEST(CrewTest, that_began_with_a_few_grows_where_they_are_too_few) {
  Crew crew;
  crew.begin_with(8 * cores);
  EXPECT_EQ(after(crew, 30, 2), 8 * cores);
  Crew of_more;
  of_more.begin_with(8 * cores);
  EXPECT_GE(after(of_more, 5, 100), 96);
}

}  // namespace
}  // namespace weir::team
