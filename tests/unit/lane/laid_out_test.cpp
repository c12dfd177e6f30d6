// SPDX-License-Identifier: Apache-2.0
#include "lane/laid_out.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "lane/asks.h"

namespace weir::lane {
namespace {

std::string object(const char* name) { return std::string(LANE_OBJECTS_FOLDER "/") + name; }

TEST(LaidOutTest, code_can_be_asked_that_is_not_loaded) {
  LaidOut loop(object("static_loop.so").c_str()), table(object("thread_number.so").c_str());
  ASSERT_TRUE(loop.whole() && table.whole());
  EXPECT_TRUE(only_shares(loop.object()));
  EXPECT_FALSE(only_shares(table.object()));
}

TEST(LaidOutTest, code_that_does_not_move_lies_where_it_must) {
  {
    LaidOut loop(object("fixed_static_loop").c_str());
    ASSERT_TRUE(loop.whole());
    EXPECT_TRUE(only_shares(loop.object()));
    EXPECT_LT(loop.object().begin(), 1u << 30);
    EXPECT_FALSE(LaidOut(object("fixed_thread_number").c_str()).whole()) << "two in one place";
  }
  LaidOut table(object("fixed_thread_number").c_str());
  ASSERT_TRUE(table.whole());
  EXPECT_FALSE(only_shares(table.object()));
}

TEST(LaidOutTest, what_is_no_such_object_is_not_laid_out) {
  EXPECT_FALSE(LaidOut("/none").whole());
  EXPECT_FALSE(LaidOut("/etc/passwd").whole());
  EXPECT_FALSE(LaidOut("/").whole());
}

TEST(LaidOutTest, nothing_outside_it_is_read_whatever_a_file_says) {
  std::ifstream file(object("static_loop.so"), std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const int fd = memfd_create("changed", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  std::mt19937_64 random(20261126);
  int different = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<char> changed = bytes;
    for (int i = 0; i < 8; ++i) {
      const std::size_t reach = i % 2 ? changed.size() : std::min<std::size_t>(changed.size(), 2048);
      changed[random() % reach] = static_cast<char>(random() % 3 ? random() : 0xff);
    }
    ASSERT_EQ(pwrite(fd, changed.data(), changed.size(), 0), static_cast<ssize_t>(changed.size()));
    LaidOut laid(path.c_str());
    different += !laid.whole() || !only_shares(laid.object());
  }
  close(fd);
  EXPECT_GT(different, 100);
  EXPECT_LT(different, 2000);
}

}  // namespace
}  // namespace weir::lane
