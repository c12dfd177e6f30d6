// SPDX-License-Identifier: Apache-2.0
#include "cli/region_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace weir::cli {
namespace {

// What a program with regions says is for the command's tests; here, what is no whole program.
class RegionFileTest : public ::testing::Test {
 protected:
  ~RegionFileTest() override {
    close(fd_);
    unlink(name_);
  }
  bool says(const std::string& content) {
    std::ofstream(name_, std::ios::binary) << content;
    return no_region_of_program_waits(name_);
  }

 private:
  char name_[32] = "/tmp/weir-file-XXXXXX";
  int fd_ = mkstemp(name_);
};

std::string this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

TEST_F(RegionFileTest, what_is_no_program_is_not_known_to_only_compute) {
  EXPECT_FALSE(no_region_of_program_waits("/nowhere/at/all"));
  EXPECT_FALSE(no_region_of_program_waits("/"));
  EXPECT_FALSE(says(""));
  EXPECT_FALSE(says("#!/bin/sh\n"));
  EXPECT_FALSE(says(std::string("\x7f""ELF", 4) + std::string(4096, '\xff')));
}

TEST_F(RegionFileTest, a_program_that_is_cut_off_is_not_looked_at) {
  const std::string whole = this_program();
  for (std::size_t share = 0; share < 64; ++share) EXPECT_FALSE(says(whole.substr(0, whole.size() * share / 64))) << share;
}

}  // namespace
}  // namespace weir::cli
