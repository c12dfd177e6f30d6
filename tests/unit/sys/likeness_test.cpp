// SPDX-License-Identifier: Apache-2.0
#include "sys/likeness.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "sys/raw.h"
#include "tests/unit/sys/apart.h"

namespace weir::sys {
namespace {

// What a new thread that has done this to itself says of the thread that made it.
bool likes_its_maker(const std::function<void()>& first) {
  Likeness maker = likeness();
  bool is = false;
  std::thread([&] {
    first();
    is = is_like(maker);
  }).join();
  return is;
}

TEST(LikenessTest, threads_are_alike_as_they_begin) { EXPECT_TRUE(likes_its_maker([] {})); }

TEST(LikenessTest, a_thread_with_a_folder_of_its_own_is_not_like_others) {
  if (!threads_may_part()) GTEST_SKIP() << "not allowed here";
  bool apart = false;
  EXPECT_FALSE(likes_its_maker([&] { apart = unshare(CLONE_FS) == 0; }));
  EXPECT_TRUE(apart);
}

TEST(LikenessTest, nor_is_one_with_descriptors_of_its_own) {
  if (!threads_may_part()) GTEST_SKIP() << "not allowed here";
  EXPECT_FALSE(likes_its_maker([] { ASSERT_EQ(unshare(CLONE_FILES), 0); }));
}

TEST(LikenessTest, nor_one_with_other_rights) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may change its rights";
  EXPECT_FALSE(likes_its_maker([] { raw(SYS_setfsuid, 12345); }));
  EXPECT_FALSE(likes_its_maker([] { raw(SYS_setfsgid, 12345); }));
  EXPECT_FALSE(likes_its_maker([] {
    unsigned groups[] = {12345, 12346};
    ASSERT_EQ(raw(SYS_setgroups, 2, word(groups)), 0);
  }));
  EXPECT_FALSE(likes_its_maker([] { ASSERT_EQ(raw(SYS_setresuid, -1, 12345, -1), 0); }));
  EXPECT_FALSE(likes_its_maker([] { ASSERT_EQ(raw(SYS_setresuid, 12345, -1, -1), 0); }));
  EXPECT_FALSE(likes_its_maker([] { ASSERT_EQ(raw(SYS_setresgid, 12345, -1, -1), 0); }));
}

TEST(LikenessTest, nor_one_that_was_forbidden_something) {
  EXPECT_FALSE(likes_its_maker([] { ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0); }));
}

TEST(LikenessTest, what_is_not_known_is_not_like_anything) {
  Likeness unknown = likeness();
  unknown.known = false;
  EXPECT_FALSE(is_like(unknown));
  Likeness ended = likeness();
  ended.thread = 1 << 30;
  EXPECT_FALSE(is_like(ended));
}

}  // namespace
}  // namespace weir::sys
