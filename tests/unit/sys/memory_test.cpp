// SPDX-License-Identifier: Apache-2.0
#include "sys/memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sys {
namespace {

TEST(MemoryOfSystemTest, is_what_the_machine_has) {
  Memory now = memory();
  EXPECT_GT(now.total, 64 << 20);
  EXPECT_GT(now.left, 0);
  EXPECT_LE(now.left, now.total);
}

TEST(MemoryOfSystemTest, counts_what_the_process_took) {
  constexpr std::int64_t bytes = 64 << 20;
  std::int64_t before = memory().mine;
  std::vector<char> mine(bytes, 1);
  EXPECT_GT(memory().mine - before, bytes / 2);
}

TEST(MemoryOfSystemTest, finds_the_group_of_either_kind) {
  GroupPath second = group_in("0::/user.slice/job.scope\n");
  EXPECT_STREQ(second.text, "/user.slice/job.scope");
  EXPECT_FALSE(second.of_first_kind);
  GroupPath first = group_in("6:cpu,cpuacct:/a\n4:memory:/batch/job_7\n0::/other\n");
  EXPECT_STREQ(first.text, "/batch/job_7");
  EXPECT_TRUE(first.of_first_kind);
  EXPECT_STREQ(group_in("3:hugetlb,memory:/both\n0::/\n").text, "/both");
  EXPECT_STREQ(group_in("0::/\n").text, "");  // the folder itself
  EXPECT_STREQ(group_in("").text, "");
  EXPECT_STREQ(group_in("nonsense").text, "");
}

TEST(MemoryOfSystemTest, finds_a_number_by_its_name) {
  const char* lines = "anon 5\nfile 7\ninactive_file 11\nMemTotal:       24684084 kB\n";
  EXPECT_EQ(number_in(lines, "file"), 7);
  EXPECT_EQ(number_in(lines, "inactive_file"), 11);
  EXPECT_EQ(number_in(lines, "MemTotal:"), 24684084);
  EXPECT_EQ(number_in(lines, "active_file"), -1);
}

}  // namespace
}  // namespace weir::sys
