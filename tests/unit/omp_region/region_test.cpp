// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region.h"

#include <gtest/gtest.h>

namespace weir::team {
namespace {

constexpr std::int64_t ms = 1'000'000;

Run narrow(std::int64_t wall_ns, std::int64_t parked, std::int64_t blocked_ns) {
  return {.wide = false, .team = 2, .cores = 2, .wall_ns = wall_ns, .parked = parked, .blocked_ns = blocked_ns};
}
Run wide(std::int64_t wall_ns, std::int64_t parked, std::int64_t blocked_ns, std::int64_t timeouts = 0) {
  return {true, 130, 2, wall_ns, parked, blocked_ns, timeouts};
}

Run with_tasks(Run run) {
  run.sets_aside = true;
  return run;
}

TEST(RegionTest, one_that_computes_has_a_thread_a_core_and_is_not_timed) {
  Knowledge known = learn({}, narrow(100 * ms, 0, 0));
  EXPECT_FALSE(known.wide);
  EXPECT_FALSE(known.timed);
  EXPECT_EQ(team_size(known, 2, 130), 2);
}

TEST(RegionTest, one_that_blocks_has_stand_ins_next_time) {
  Knowledge known = learn({}, narrow(100 * ms, 500, 150 * ms));
  EXPECT_TRUE(known.wide);
  EXPECT_EQ(team_size(known, 2, 130), 130);
}

TEST(RegionTest, never_more_stand_ins_than_calls_that_blocked) {
  Knowledge known = learn({}, narrow(100 * ms, 7, 150 * ms));
  EXPECT_EQ(team_size(known, 2, 130), 9);
}

TEST(RegionTest, where_tasks_are_set_aside_no_more_stand_ins_than_threads_that_waited_at_once) {
  Knowledge known = learn({}, with_tasks(narrow(0, 400, 50 * ms)));
  EXPECT_EQ(team_size(known, 2, 130), 3);  // how many is not known yet
  known = learn(known, with_tasks(wide(100 * ms, 400, 60 * ms)));
  EXPECT_EQ(team_size(known, 2, 130), 3);
  known = learn(known, with_tasks(wide(100 * ms, 400, 250 * ms)));
  EXPECT_EQ(team_size(known, 2, 130), 5);
}

TEST(RegionTest, no_more_stand_ins_than_threads_that_blocked_at_a_time_where_others_did_not) {
  auto run = wide(100 * ms, 40, 90 * ms);
  run.at_once = 1;
  Knowledge known = learn({}, run);
  EXPECT_EQ(team_size(known, 2, 130), 3);
  run = wide(100 * ms, 400, 900 * ms);
  run.at_once = run.team;  // with more of them more would have
  EXPECT_EQ(team_size(learn(known, run), 2, 130), 130);
  run.at_once = 64;
  EXPECT_EQ(team_size(learn(known, run), 2, 130), 66);
}

Run one_at_a_time(Run run) {
  run.at_once = 1;
  return run;
}

TEST(RegionTest, one_whose_short_waits_never_meet_has_no_stand_ins) {
  Knowledge known;
  for (int run = 0; run < 7; ++run) {
    known = learn(known, one_at_a_time(wide(ms, 1, ms / 2)));  // each would have met another every second time
    EXPECT_EQ(team_size(known, 2, 130), 3) << run;
  }
  known = learn(known, one_at_a_time(wide(ms, 1, ms / 2)));
  EXPECT_EQ(team_size(known, 2, 130), 2);
  known = learn(known, one_at_a_time(narrow(ms, 1, ms / 2)));
  EXPECT_EQ(team_size(known, 2, 130), 2);
  auto met = narrow(ms, 4, ms);
  met.at_once = 2;
  EXPECT_EQ(team_size(learn(known, met), 2, 130), 6);
}

TEST(RegionTest, long_waits_are_worth_a_stand_in_each_though_they_never_meet) {
  Knowledge known = learn({}, one_at_a_time(wide(100 * ms, 40, 60 * ms)));
  EXPECT_EQ(team_size(known, 2, 130), 3);
}

TEST(RegionTest, where_tasks_block_not_for_long_few_threads_look_for_them) {
  auto run = narrow(100 * ms, 500, 150 * ms);
  run.tasks_block = true;
  EXPECT_EQ(team_size(learn({}, run), 2, 130), 10);
  run.parked = 60;  // and each for longer
  EXPECT_EQ(team_size(learn({}, run), 2, 130), 62);
}

TEST(RegionTest, one_that_hardly_blocks_loses_its_stand_ins) {
  Knowledge known;
  known.wide = true;
  known = learn(known, wide(1000 * ms, 3, 40 * ms));
  EXPECT_FALSE(known.wide);
  known = learn(known, narrow(1000 * ms, 3, 40 * ms));
  EXPECT_FALSE(known.wide);
}

TEST(RegionTest, one_that_was_not_timed_and_blocks_has_stand_ins_next_time_for_a_try) {
  Knowledge known;
  known.timed = false;
  known = learn(known, narrow(0, 100, 50 * ms));
  EXPECT_TRUE(known.wide);
  EXPECT_TRUE(known.timed);
}

TEST(RegionTest, one_that_was_not_timed_and_hardly_blocks_is_timed_again) {
  Knowledge known;
  known.timed = false;
  known = learn(known, narrow(0, 1, ms / 2));
  EXPECT_FALSE(known.wide);
  EXPECT_TRUE(known.timed);
  known = learn(known, narrow(60 * ms, 100, 50 * ms));
  EXPECT_TRUE(known.wide);
}

TEST(RegionTest, one_that_is_run_with_data_and_without_in_turn_keeps_its_stand_ins) {
  Knowledge known;
  known.wide = true;
  for (int i = 0; i < 3; ++i) {
    known = learn(known, wide(100 * ms, 0, 0));
    EXPECT_TRUE(known.wide);
    known = learn(known, wide(100 * ms, 500, 5000 * ms));
    EXPECT_TRUE(known.wide);
  }
}

TEST(RegionTest, one_that_had_nothing_to_wait_for_twice_loses_its_stand_ins) {
  Knowledge known;
  known.wide = true;
  known = learn(known, wide(100 * ms, 0, 0));
  known = learn(known, wide(100 * ms, 0, 0));
  EXPECT_FALSE(known.wide);
  EXPECT_FALSE(known.timed);
}

TEST(RegionTest, one_that_is_barred_is_not_tried_again_untimed) {
  Knowledge known;
  known.barred = true;
  known.timed = false;
  EXPECT_FALSE(learn(known, narrow(0, 100, 50 * ms)).wide);
}

TEST(RegionTest, one_whose_threads_wait_for_one_another_is_barred_the_second_time) {
  Knowledge known;
  known.wide = true;
  known = learn(known, wide(1000 * ms, 500, 5000 * ms, 1000));
  EXPECT_TRUE(known.wide);
  known = learn(known, wide(1000 * ms, 500, 5000 * ms, 1000));
  EXPECT_FALSE(known.wide);
  known = learn(known, narrow(1000 * ms, 500, 1900 * ms));
  EXPECT_EQ(team_size(known, 2, 130), 2);
}

TEST(RegionTest, is_told_by_its_code) {
  int a = 0, b = 0;
  EXPECT_EQ(&region_of(&a), &region_of(&a));
  EXPECT_NE(&region_of(&a), &region_of(&b));
}

TEST(RegionTest, past_the_table_there_is_one_that_learns_nothing) {
  Region* last = nullptr;
  for (std::uintptr_t code = 0x10000; code < 0x10000 + 16 * 5000 && last != &no_region; code += 16)
    last = &region_of(reinterpret_cast<const void*>(code));
  EXPECT_EQ(last, &no_region);
}

TEST(RegionTest, what_blocks_apart_from_files_is_told_from_what_blocks_on_them) {
  auto run = narrow(100 * ms, 10, 100 * ms);
  EXPECT_TRUE(learn({}, run).apart_from_files);
  run.stored = 9;
  EXPECT_FALSE(learn({}, run).apart_from_files);
}

}  // namespace
}  // namespace weir::team
