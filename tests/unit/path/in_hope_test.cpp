// SPDX-License-Identifier: Apache-2.0
#include "path/in_hope.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace weir::path {
namespace {

constexpr off_t page = 4096, pages = 16;

// Each on a number of its own: what is known of it stays.
class InHopeTest : public ::testing::Test {
 protected:
  InHopeTest() {
    char name[] = "/var/tmp/weir-in-hope-XXXXXX";
    int low = mkstemp(name);
    unlink(name);
    static int number = 1500;
    fd_ = fcntl(low, F_DUPFD, number++);
    ::close(low);
    std::string bytes(static_cast<std::size_t>(page), 'x');
    for (int i = 0; i < pages; ++i) EXPECT_EQ(::write(fd_, bytes.data(), bytes.size()), page);
    fsync(fd_);
  }
  ~InHopeTest() override { ::close(fd_); }
  void drop() { posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }
  static void was_vain(int fd) { hope_was_vain(fd, hopes[fd % guesses]); }
  bool look() { return look_in_hope(fd_, page, page); }

  int fd_;
};

TEST_F(InHopeTest, where_many_reads_in_a_row_are_cached_nobody_asks) {
  for (int i = 0; i < 7; ++i) {
    EXPECT_TRUE(look());
    if (i == 0 && is_hopeful(fd_)) GTEST_SKIP() << "the kernel does not tell what is cached";
    EXPECT_EQ(is_hopeful(fd_), i == 6);
  }
  drop();
  EXPECT_TRUE(look());  // the read itself will tell
}

TEST_F(InHopeTest, what_the_cache_has_not_is_read_in_hope_now_and_then_and_more_seldom_where_that_was_vain) {
  drop();
  if (look()) GTEST_SKIP() << "the kernel does not tell, or keeps what it is told to drop";
  int made[2] = {};
  for (int i = 0; i < 4000; ++i) {
    if (!look()) continue;
    ++made[i / 2000];
    EXPECT_TRUE(is_hopeful(fd_));
    was_vain(fd_);
    EXPECT_FALSE(is_hopeful(fd_));
  }
  EXPECT_GE(made[0], 4);
  EXPECT_GE(made[1], 1);
  EXPECT_LT(made[1], made[0]);
  EXPECT_LT(made[0], 24);
}

TEST_F(InHopeTest, what_came_true_on_some_numbers_is_hoped_for_on_others) {
  drop();
  if (look()) GTEST_SKIP() << "the kernel does not tell, or keeps what it is told to drop";
  for (int round = 0; round < 60; ++round) {
    int other = fcntl(fd_, F_DUPFD, 2000);
    while (!is_hopeful(other)) look_in_hope(other, page, page);
    hope_came_true(other);
    ::close(other);
    hopes[other % guesses] = 0;
  }
  int fresh = fcntl(fd_, F_DUPFD, 3000);
  EXPECT_TRUE(look_in_hope(fresh, page, page));
  was_vain(fresh);
  int next = fcntl(fd_, F_DUPFD, 3001);
  EXPECT_FALSE(look_in_hope(next, page, page));
  ::close(fresh);
  ::close(next);
}

TEST_F(InHopeTest, a_read_that_did_not_wait_is_followed_by_others) {
  drop();
  for (int i = 0; i < 2000 && !look(); ++i) {}
  int made = 0;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(made_in_hope(fd_, page, [&made] { return ++made; }), i + 1);
  EXPECT_TRUE(is_hopeful(fd_));
  made_in_hope(fd_, page, [] { return usleep(2000); });
  EXPECT_FALSE(is_hopeful(fd_));
}

TEST_F(InHopeTest, one_long_read_among_short_ones_may_be_that_of_a_thread_without_a_core) {
  while (!is_hopeful(fd_)) look();
  for (int i = 0; i < 4; ++i) hope_came_true(fd_);
  for (int i = 0; i < 3; ++i) {
    was_vain(fd_);
    EXPECT_TRUE(is_hopeful(fd_));
    hope_came_true(fd_);
  }
  was_vain(fd_);
  was_vain(fd_);
  EXPECT_FALSE(is_hopeful(fd_));
}

TEST_F(InHopeTest, of_several_long_reads_at_once_one_counts) {
  while (!is_hopeful(fd_)) look();
  for (int i = 0; i < 4; ++i) hope_came_true(fd_);
  std::uint32_t before = hopes[fd_ % guesses];
  for (int i = 0; i < 9; ++i) hope_was_vain(fd_, before);
  EXPECT_TRUE(is_hopeful(fd_));
  before = hopes[fd_ % guesses];
  for (int i = 0; i < 9; ++i) hope_was_vain(fd_, before);
  EXPECT_FALSE(is_hopeful(fd_));
  int refused = 0;
  while (!look()) ++refused;
  EXPECT_LE(refused, 3);
}

TEST_F(InHopeTest, nothing_is_to_wait_for_behind_the_end_and_nothing_known_of_what_is_no_file) {
  EXPECT_TRUE(look_in_hope(fd_, page * pages, page));
  EXPECT_FALSE(is_hopeful(fd_));
  drop();
  char all[page];
  for (off_t at = 0; at < pages; ++at) EXPECT_EQ(pread(fd_, all, sizeof all, at * page), page);
  EXPECT_TRUE(look_in_hope(fd_, page * pages - 1, page));  // and one byte before it is cached
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(look_in_hope(ends[0], 0, 1));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace weir::path
