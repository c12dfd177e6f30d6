// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "omp_ext/team_program.h"
#include "omp_ext/team_room.h"

namespace weir::team {
namespace {

TEST(TeamRoomTest, the_smallest_limit_holds) {
  Limits limits{.cores = 4, .stand_ins = 512, .permits = 128, .descriptors = 1 << 20};
  EXPECT_EQ(widest_team(limits), 132);
  limits.stand_ins = 64;
  EXPECT_EQ(widest_team(limits), 64);
  limits.descriptors = 1024;
  EXPECT_EQ(widest_team(limits), 32);
  limits.stand_ins = 2;
  EXPECT_EQ(widest_team(limits), 4);
}

const char* one_variable;
const char* its_value;
const char* get(const char* name) { return std::strcmp(name, one_variable) ? nullptr : its_value; }
const char* kept_out_by(const char* name, const char* value) {
  one_variable = name;
  its_value = value;
  return environment_keeps_out(get);
}

TEST(TeamRoomTest, what_a_user_set_about_sizes_places_and_spinning_keeps_out) {
  EXPECT_EQ(kept_out_by("PATH", "/bin"), nullptr);
  EXPECT_NE(kept_out_by("OMP_DYNAMIC", "true"), nullptr);
  EXPECT_EQ(kept_out_by("OMP_DYNAMIC", "false"), nullptr);
  EXPECT_EQ(kept_out_by("OMP_WAIT_POLICY", "passive"), nullptr);
  EXPECT_NE(kept_out_by("OMP_WAIT_POLICY", "active"), nullptr);
  EXPECT_EQ(kept_out_by("KMP_BLOCKTIME", "0"), nullptr);
  EXPECT_NE(kept_out_by("KMP_BLOCKTIME", "infinite"), nullptr);
  EXPECT_NE(kept_out_by("OMP_THREAD_LIMIT", "64"), nullptr);
}

TEST(TeamRoomTest, a_number_in_the_environment_is_told_apart_from_what_else_is_set) {
  EXPECT_EQ(kept_out_by("OMP_NUM_THREADS", "4,2"), nullptr);
  EXPECT_NE(number_in_environment(get), nullptr);
  its_value = "";
  EXPECT_EQ(number_in_environment(get), nullptr);
  one_variable = "OMP_PLACES", its_value = "cores";
  EXPECT_EQ(number_in_environment(get), nullptr);
}

TEST(LeewayTest, a_program_that_asks_nothing_bears_any_size) {
  EXPECT_EQ(leeway_of({}).freedom, Freedom::any);
}

TEST(LeewayTest, one_that_keeps_things_by_thread_needs_one_size) {
  EXPECT_EQ(leeway_of({.keeps_thread_storage = true, .every_region_blocks = true}).freedom, Freedom::same);
  EXPECT_EQ(leeway_of({.keeps_thread_storage = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.picks_thread = true, .keeps_thread_storage = true, .every_region_blocks = true}).freedom, Freedom::none);
}

TEST(LeewayTest, one_that_knows_how_many_threads_it_has_is_left_alone) {
  EXPECT_EQ(leeway_of({.asks_max_threads = true, .every_region_blocks = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.keeps_num_threads = true, .every_region_blocks = true}).freedom, Freedom::none);
}

TEST(LeewayTest, one_that_picks_a_thread_bears_any_size_where_chance_says_what_falls_to_it) {
  EXPECT_EQ(leeway_of({.picks_thread = true}).freedom, Freedom::any);
  EXPECT_TRUE(leeway_of({.picks_thread = true}).picks_thread);
}

TEST(LeewayTest, one_that_counts_processors_or_has_a_table_of_fixed_length_is_left_alone) {
  EXPECT_EQ(leeway_of({.asks_num_procs = true, .every_region_blocks = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.pauses = true, .every_region_blocks = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.uses_thread_num = true, .every_region_blocks = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.counts_cores = true, .uses_thread_num = true}).freedom, Freedom::none);
  EXPECT_EQ(leeway_of({.counts_cores = true}).freedom, Freedom::any);
  EXPECT_NE(leeway_of({.uses_thread_num = true}).because, nullptr);
}

}  // namespace
}  // namespace weir::team
