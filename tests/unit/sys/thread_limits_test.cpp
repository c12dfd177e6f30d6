// SPDX-License-Identifier: Apache-2.0
#include "sys/thread_limits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace weir::sys {
namespace {

namespace fs = std::filesystem;

// A machine without limits to speak of; each test adds one.
class ThreadLimitsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weir-limits-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root_ = name;
    put("proc/loadavg", "0.58 1.75 7.81 1/100 13326\n");
    put("proc/sys/kernel/threads-max", "190000\n");
    put("proc/sys/kernel/pid_max", "32768\n");
    put("proc/self/uid_map", "         0          0 4294967295\n");
    put("proc/self/cgroup", "0::/a/b\n");
    put("cgroups/cgroup.procs", "1\n");
    put("cgroups/a/cgroup.procs", "");
    put("cgroups/a/b/cgroup.procs", "");
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& name, const std::string& text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  bool within(std::int64_t wanted) {
    std::string proc = root_ / "proc", cgroups = root_ / "cgroups";
    return threads_are_within_limits(wanted, {proc.c_str(), cgroups.c_str()});
  }
  fs::path root_;
};

TEST_F(ThreadLimitsTest, none_in_sight) { EXPECT_TRUE(within(511)); }

TEST_F(ThreadLimitsTest, of_the_kernel) {
  EXPECT_FALSE(within(40'000));
  put("proc/sys/kernel/threads-max", "300\n");
  EXPECT_FALSE(within(129));
}

TEST_F(ThreadLimitsTest, of_a_cgroup_or_of_one_that_it_is_in) {
  put("cgroups/a/pids.max", "1000\n");
  put("cgroups/a/pids.current", "100\n");
  EXPECT_TRUE(within(129));
  EXPECT_FALSE(within(700));  // too close to be certain
  put("cgroups/a/b/pids.max", "max\n");
  EXPECT_TRUE(within(129));
  put("cgroups/a/b/pids.max", "150\n");
  put("cgroups/a/b/pids.current", "20\n");
  EXPECT_FALSE(within(129));
}

TEST_F(ThreadLimitsTest, of_a_container_that_is_seen_from_within) {
  put("proc/self/cgroup", "0::/\n");
  EXPECT_TRUE(within(129));
  put("cgroups/pids.max", "max\n");
  EXPECT_FALSE(within(129));
}

TEST_F(ThreadLimitsTest, of_cgroups_of_the_first_version) {
  put("proc/self/cgroup", "9:name=systemd:/\n8:pids:/\n2:cpuacct:/x\n0::/y\n");
  EXPECT_FALSE(within(129));
  put("cgroups/pids/cgroup.procs", "1\n");
  EXPECT_TRUE(within(129));
  put("proc/self/cgroup", "8:pids:/docker/1\n");
  EXPECT_FALSE(within(129));  // what it names lies elsewhere
}

TEST_F(ThreadLimitsTest, of_a_cgroup_whose_name_is_no_path) {
  put("cgroupsa/cgroup.procs", "1\n");
  put("proc/self/cgroup", "0::a\n");
  EXPECT_FALSE(within(129));
}

TEST_F(ThreadLimitsTest, of_who_made_a_namespace_of_users) {
  put("proc/self/uid_map", "         0       1000          1\n");
  EXPECT_FALSE(within(129));
}

TEST_F(ThreadLimitsTest, that_can_not_be_read) {
  for (const char* name : {"proc/loadavg", "proc/self/cgroup", "cgroups/a/cgroup.procs", "proc/sys/kernel/pid_max"}) {
    fs::rename(root_ / name, root_ / "aside");
    EXPECT_FALSE(within(129)) << name;
    fs::rename(root_ / "aside", root_ / name);
  }
  EXPECT_TRUE(within(129));
}

}  // namespace
}  // namespace weir::sys
