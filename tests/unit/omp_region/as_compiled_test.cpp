// SPDX-License-Identifier: Apache-2.0
// Regions as several compilers make them, at several levels.
#include "omp_ext/region_each.h"
#include "omp_ext/region_largest.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "lane/instruction.h"
#include "lane/object.h"
#include "omp_ext/region_carries.h"
#include "omp_ext/region_code.h"
#include "omp_ext/region_locked.h"
#include "omp_ext/region_rounds.h"

namespace weir::team {
namespace {

// The function that another hands to a team.
const void* region_in(const void* code) {
  lane::Object object = lane::Object::around(reinterpret_cast<std::uintptr_t>(code));
  lane::Function function = object.starting_at(reinterpret_cast<std::uintptr_t>(code));
  for (std::uintptr_t at = function.begin; at < function.end;) {
    lane::Instruction i = lane::read_instruction(lane::bytes_at(at), lane::bytes_at(function.end));
    if (i.kind == lane::Instruction::takes_address && object.starting_at(i.target)) return reinterpret_cast<const void*>(i.target);
    at += i.length ? i.length : 1;
  }
  return nullptr;
}

class RegionTest : public testing::TestWithParam<const char*> {
 protected:
  explicit RegionTest(const char* of)
      : library_(dlopen((REGION_OBJECTS_FOLDER + std::string("/") + of + "_" + GetParam() + ".so").c_str(), RTLD_LAZY)) {}

  const void* region(const char* name) {
    void* code = library_ ? dlsym(library_, name) : nullptr;
    EXPECT_NE(code, nullptr) << name;
    const void* region = code ? region_in(code) : nullptr;
    EXPECT_NE(region, nullptr) << name;
    return region;
  }
  void TearDown() override {
    if (library_) dlclose(library_);
  }

 private:
  void* library_;
};

struct RegionEachTest : RegionTest {
  RegionEachTest() : RegionTest("each") {}
};
struct RegionEachStaticTest : RegionTest {
  RegionEachStaticTest() : RegionTest("each_static") {}
};
struct RegionCarriesTest : RegionTest {
  RegionCarriesTest() : RegionTest("carries") {}
};
struct RegionBringsTest : RegionTest {
  RegionBringsTest() : RegionTest("brings") {}
};
struct RegionLockedTest : RegionTest {
  RegionLockedTest() : RegionTest("locked") {}
};
struct RegionRoundsTest : RegionTest {
  RegionRoundsTest() : RegionTest("rounds") {}
  Rounding rounding(const char* name) { return rounding_of(reinterpret_cast<std::uintptr_t>(region(name))); }
};

constexpr const char* those_seen[] = {"seen_line", "seen_affinity", "seen_by_handler", "seen_line_after", "seen_if_wanted", "seen_elsewhere", "seen_by_task", "seen_hello",
                                      "seen_count", "seen_count_alone", "seen_number", "seen_number_alone", "seen_count_beside", "seen_number_asked", "seen_who", "seen_in_switch", "seen_pushed", "seen_semaphore",
                                      "seen_pointer", "seen_pointer_kept", "seen_count_locked", "seen_count_with_lock", "seen_count_guarded", "seen_count_elsewhere",
                                      "seen_bytes", "seen_on_each_way", "seen_reading", "seen_reading_alone", "seen_beside_takers", "seen_in_looping_case", "seen_by_name", "seen_beyond_many", "seen_file", "seen_file_made", "seen_file_in_doubt",
                                      "seen_reduced", "seen_reduced_after", "seen_reduced_with_pieces", "seen_reduced_if_any", "seen_count_if_any", "seen_added", "seen_added_alone", "seen_added_more",
                                      "seen_added_turned", "seen_told_to_add", "seen_in_field", "seen_number_if_wanted", "seen_added_given", "seen_reduced_both",
                                      "seen_second_slot"};
constexpr const char* those_quiet[] = {"quiet_by_one", "quiet_switch", "quiet_sections", "quiet_pieces", "quiet_file", "quiet_number", "quiet_errors",
                                       "quiet_sum", "quiet_reading_its_own", "quiet_takers", "quiet_takers_alone",
                                       "quiet_reduced", "quiet_reduced_by_one", "quiet_reduced_inner", "quiet_added", "quiet_reduced_both", "quiet_container", "quiet_added_less", "quiet_told_to_add",
                                       "quiet_unrolled", "quiet_reserved", "quiet_second_slot"};

TEST_P(RegionEachTest, is_told_where_its_threads_are_seen) {
  for (const char* name : those_seen) EXPECT_TRUE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).shows) << name;
}

TEST_P(RegionEachTest, is_told_where_its_threads_ask_who_they_are_for_each_piece) {
  EXPECT_TRUE(read_code(region("seen_who_in_loop"), Reading::to_the_end).each_shows);
}

TEST_P(RegionEachTest, is_told_where_they_are_not) {
  for (const char* name : those_quiet) EXPECT_FALSE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).shows) << name;
  EXPECT_FALSE(each_thread(reinterpret_cast<std::uintptr_t>(region("quiet_by_master"))).shows);
  // gcc's static loop is not told from others.
  for (const char* name : {"seen_in_own_loop", "seen_in_own_loop_that_waits"}) {
    EXPECT_TRUE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).shows) << name;
  }
  bool is_inlined = !std::string_view(GetParam()).ends_with("O0");  // what counts owners
  EXPECT_NE(each_thread(reinterpret_cast<std::uintptr_t>(region("quiet_owners"))).shows, is_inlined);
}

TEST_P(RegionEachTest, is_told_where_its_threads_take_memory) {
  for (const char* name : {"much_memory", "memory_of_many"}) {
    EXPECT_TRUE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).takes_memory) << name;
    EXPECT_FALSE(starts_wide(read_code(region(name), Reading::to_the_end))) << name;
  }
  for (const char* name : {"little_memory", "memory_of_few", "memory_of_all"}) {
    EXPECT_FALSE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).takes_memory) << name;
    EXPECT_TRUE(starts_wide(read_code(region(name), Reading::to_the_end))) << name;
  }
  EXPECT_FALSE(each_thread(reinterpret_cast<std::uintptr_t>(region("memory_of_all"))).memory.any());
}

// As much as is known when it begins: what a shared variable holds. gcc hands on its value, clang its address.
TEST_P(RegionEachTest, is_told_how_much_memory_its_threads_take) {
  auto taken = [this](const char* name, std::uintptr_t n) {
    auto code = reinterpret_cast<std::uintptr_t>(region(name));
    const auto shared = reinterpret_cast<std::uintptr_t>(&n);
    const bool gcc = std::string_view(GetParam()).starts_with("gcc");
    MemoryCalls calls = each_thread(code).memory;
    EXPECT_TRUE(calls.any()) << name;
    return calls.taken(code, lane::Beginning{&shared, 1, gcc ? 0 : 2});
  };
  for (std::uintptr_t n : {1000, 5000, 64 << 20}) {
    EXPECT_EQ(taken("memory_by_size", n), n);
    EXPECT_EQ(taken("memory_by_count", n), 8 * n);
    EXPECT_EQ(taken("memory_if_any", n), n);
    EXPECT_EQ(taken("memory_by_more", n), (n / 3 * 5 + 100) * 4);
    EXPECT_EQ(taken("memory_rounded_up", n), std::bit_ceil(std::max<std::uintptr_t>(n, 4096)));
    EXPECT_GT(taken("memory_as_told", n), std::uint64_t{1} << 40) << "nobody knows";
  }
  EXPECT_TRUE(starts_wide(read_code(region("memory_by_size"), Reading::to_the_end)));
}

TEST_P(RegionEachStaticTest, is_told_where_its_threads_are_seen) {
  for (const char* name : those_seen) EXPECT_TRUE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).shows) << name;
}

TEST_P(RegionEachStaticTest, is_told_where_they_are_not) {
  for (const char* name : those_quiet) EXPECT_FALSE(each_thread(reinterpret_cast<std::uintptr_t>(region(name))).shows) << name;
}

TEST_P(RegionCarriesTest, is_told_where_something_goes_from_pass_to_pass) {
  for (const char* name : {"carried_seed", "carried_seed_of_region", "carried_copy", "carried_object", "carried_often",
                           "carried_from_heap", "carried_in_room_of_its_own", "carried_seed_of_table", "carried_lines", "carried_bytes"}) {
    EXPECT_TRUE(carries_state(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
    EXPECT_FALSE(starts_wide(read_code(region(name), Reading::to_the_end))) << name;
  }
}

// What a thread keeps for itself is that of as many threads as there are.
TEST_P(RegionCarriesTest, is_told_where_threads_have_storage_of_their_own) {
  for (const char* name : {"carried_by_thread", "carried_by_thread_elsewhere"})
    EXPECT_TRUE(read_code(region(name), Reading::to_the_end).carries) << name;
}

TEST_P(RegionCarriesTest, is_told_where_nothing_does) {
  for (const char* name : {"free_room", "free_room_cleared", "free_room_asked_for", "free_room_read_elsewhere", "free_count", "free_records", "free_time", "free_sum", "free_by_pass", "free_behind",
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // which have functions of libc's of their own
                           "free_line",
#endif
                           "free_by_chance"}) {
    EXPECT_FALSE(carries_state(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
    EXPECT_TRUE(starts_wide(read_code(region(name), Reading::to_the_end))) << name;
  }
}

TEST_P(RegionEachTest, tells_how_it_starts) {
  EXPECT_FALSE(starts_wide(read_code(region("seen_line"), Reading::to_the_end)));
  for (const char* name : {"quiet_by_one", "quiet_switch", "quiet_sections", "quiet_pieces", "quiet_file", "quiet_errors", "quiet_sum", "quiet_takers_alone"})
    EXPECT_TRUE(starts_wide(read_code(region(name), Reading::to_the_end))) << name;
}

TEST_P(RegionBringsTest, is_told_where_one_waits_for_what_tasks_are_about) {
  for (const char* name : {"one_brings", "one_brings_by_call"})
    EXPECT_TRUE(one_brings_tasks(read_code(region(name), Reading::to_the_end))) << name;
  for (const char* name : {"tasks_bring", "all_bring", "none_makes_tasks"})
    EXPECT_FALSE(one_brings_tasks(read_code(region(name), Reading::to_the_end))) << name;
}

TEST_P(RegionLockedTest, is_told_where_threads_wait_only_with_a_lock) {
  for (const char* name : {"locked_critical", "locked_mutex", "locked_omp_lock"})
    EXPECT_TRUE(waits_only_with_lock(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
  for (const char* name : {"free_after_lock", "free_on_one_way", "free_by_locks_of_their_own", "free_of_waits"})
    EXPECT_FALSE(waits_only_with_lock(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
}

TEST_P(RegionRoundsTest, is_told_where_a_sum_rounds_by_threads) {
  for (const char* name : {"rounded_sum", "rounded_product", "rounded_long", "rounded_two", "rounded_by_hand", "rounded_at_once",
                           "rounded_by_function", "rounded_elsewhere", "rounded_with_mutex", "rounded_by_runtime", "rounded_in_order",
                           "rounded_deep", "rounded_with_spin_lock", "rounded_most", "rounded_most_by_hand", "rounded_roughly"})
    EXPECT_TRUE(rounding(name).of_sum) << name;
  // (There a register of the other kind puts it aside.)
  bool elsewhere = std::string_view(GetParam()) == "gcc_O1" || std::string_view(GetParam()) == "gcc_skylake_avx512";
  if (!elsewhere) EXPECT_TRUE(rounding("rounded_put_aside").of_sum);
}

TEST_P(RegionRoundsTest, is_told_where_sums_may_be_made_by_thread) {
  for (const char* name : {"by_thread_table", "rounded_sum", "exact_each"})
    EXPECT_TRUE(rounding(name).computes) << name;
  for (const char* name : {"exact_by_chance"})
    EXPECT_FALSE(rounding(name).computes) << name;
  EXPECT_FALSE(rounding("by_thread_table").of_sum);
}

TEST_P(RegionRoundsTest, is_told_where_none_does) {
  for (const char* name : {"exact_count", "exact_most", "exact_most_by_hand", "exact_each", "exact_by_chance"})
    EXPECT_FALSE(rounding(name).of_sum) << name;
}

TEST_P(RegionRoundsTest, is_told_where_the_largest_of_the_threads_counts_is_looked_for) {
  for (const char* name : {"counted_most", "counted_shares", "counted_least_by_hand", "counted_by_ones"})
    EXPECT_TRUE(looks_for_largest_count(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
  for (const char* name : {"exact_largest", "exact_largest_by_hand", "exact_number"})
    EXPECT_FALSE(looks_for_largest_count(reinterpret_cast<std::uintptr_t>(region(name)))) << name;
}

INSTANTIATE_TEST_SUITE_P(As, RegionEachTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(As, RegionEachStaticTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(As, RegionCarriesTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(As, RegionBringsTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(As, RegionLockedTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(As, RegionRoundsTest, testing::Values(REGION_OBJECTS), [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace weir::team
