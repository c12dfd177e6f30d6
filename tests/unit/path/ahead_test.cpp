// SPDX-License-Identifier: Apache-2.0
#include "path/ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "path/ending.h"
#include "sys/file.h"

namespace weir::path {
namespace {

constexpr off_t page = 4096, pages = 100;

class AheadTest : public ::testing::Test {
 protected:
  AheadTest() {
    char name[] = "/var/tmp/weir-ahead-XXXXXX";
    fd_ = mkstemp(name);
    unlink(name);
    std::string bytes(static_cast<std::size_t>(page), 'x');
    for (int i = 0; i < pages; ++i) EXPECT_EQ(::write(fd_, bytes.data(), bytes.size()), page);
    fsync(fd_);
    forget_ahead(fd_);
  }
  ~AheadTest() override { ::close(fd_); }
  void SetUp() override {
    if (sys::in_page_cache(fd_, 0, page) != 1) GTEST_SKIP() << "the kernel does not tell what is cached";
  }

  void found(off_t at) { look_ahead(fd_, at * page, page, pages * page); }
  bool takes() { return takes_ahead(fd_, page); }
  // Reads that need no look from now on.
  int taken() {
    int count = 0;
    while (count < 1000 && takes()) ++count;
    return count;
  }

  int fd_;
};

TEST_F(AheadTest, after_some_looks_in_a_row_the_next_reads_need_none) {
  for (int i = 0; i < 3; ++i) {
    found(i);
    EXPECT_FALSE(takes());
  }
  found(3);
  EXPECT_EQ(taken(), 64);
  found(68);
  EXPECT_EQ(taken(), 31 + 2);  // to the end, and two that find it
}

TEST_F(AheadTest, a_small_file_is_known_from_its_beginning_on) {
  look_ahead(fd_, 0, page, 10 * page);
  EXPECT_EQ(taken(), 9 + 2);
}

TEST_F(AheadTest, a_small_file_whose_first_read_comes_from_its_middle_is_looked_at_as_ever) {
  look_ahead(fd_, page, page, 10 * page);
  EXPECT_EQ(taken(), 0);
}

TEST_F(AheadTest, where_the_next_is_sure_to_follow_one_look_is_enough) {
  look_ahead(fd_, 0, page, pages * page, true);
  EXPECT_EQ(taken(), 64);
  look_ahead(fd_, 98 * page, page, pages * page, true);  // one is left: no matter
  EXPECT_EQ(taken(), 0);
}

TEST_F(AheadTest, what_is_not_in_the_cache_is_looked_at_as_ever) {
  posix_fadvise(fd_, 50 * page, 0, POSIX_FADV_DONTNEED);
  if (sys::in_page_cache(fd_, 60 * page, page) == 1) GTEST_SKIP() << "the cache keeps what it is told to drop";
  for (int i = 0; i < 20; ++i) found(i);
  EXPECT_EQ(taken(), 0);
}

TEST_F(AheadTest, large_reads_have_looks_of_their_own) {
  for (int i = 0; i < 20; ++i) look_ahead(fd_, 0, 50 * page, pages * page);
  EXPECT_FALSE(takes_ahead(fd_, 50 * page));
}

TEST_F(AheadTest, one_that_took_long_ends_it) {
  for (int i = 0; i < 4; ++i) found(i);
  EXPECT_EQ(read_ahead(fd_, page, [] { return Result{7}; }), 7);
  EXPECT_TRUE(takes());
  read_ahead(fd_, page, [] {
    timespec some{0, 20'000'000};
    nanosleep(&some, nullptr);
    return Result{0};
  });
  EXPECT_FALSE(takes());
}

TEST_F(AheadTest, a_number_that_ends_has_nothing_ahead) {
  for (int i = 0; i < 4; ++i) found(i);
  number_ends(fd_);
  EXPECT_FALSE(takes());
}

}  // namespace
}  // namespace weir::path
