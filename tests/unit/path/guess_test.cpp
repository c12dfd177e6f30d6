// SPDX-License-Identifier: Apache-2.0
#include "path/guess.h"

#include <gtest/gtest.h>

#include "path/ending.h"

namespace weir::path {
namespace {

class GuessTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (int fd = 0; fd < guesses; ++fd) tried(fd, false);
  }
};

int left_out(int socket, int calls) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    if (expects_nothing(socket)) ++count;
    else tried(socket, true);
  }
  return count;
}

TEST_F(GuessTest, some_tries_in_vain_make_the_next_be_left_out) {
  constexpr int socket = 1;
  EXPECT_EQ(left_out(socket, 4), 0);
  EXPECT_TRUE(expects_nothing(socket));
  EXPECT_FALSE(expects_nothing(socket + 1));
}

TEST_F(GuessTest, one_in_32_is_made_all_the_same) {
  constexpr int socket = 3;
  left_out(socket, 4);
  EXPECT_EQ(left_out(socket, 3200), 3100);
}

TEST_F(GuessTest, one_that_found_something_makes_the_next_be_made) {
  constexpr int socket = 4;
  left_out(socket, 4);
  while (expects_nothing(socket)) {}
  tried(socket, false);
  EXPECT_EQ(left_out(socket, 4), 0);
}

TEST_F(GuessTest, any_number_will_do) {
  EXPECT_FALSE(expects_nothing(-1));
  EXPECT_FALSE(expects_nothing(1 << 30));
}

TEST_F(GuessTest, nothing_is_known_of_a_number_that_ended) {
  constexpr int socket = 5;
  left_out(socket, 4);
  number_ends(socket);
  EXPECT_FALSE(expects_nothing(socket));
  number_ends(-1);
}

TEST_F(GuessTest, nothing_is_known_of_one_that_begins) {
  constexpr int socket = 6;
  left_out(socket, 4);
  forget_number(socket);
  EXPECT_FALSE(expects_nothing(socket));
  forget_number(-1);
}

TEST_F(GuessTest, numbers_end_together) {
  for (int fd = 900; fd < 904; ++fd) {
    waits_at(fd, false);
    left_out(fd, 4);
  }
  numbers_end(901, 902);
  numbers_end(903, 901);  // none
  EXPECT_FALSE(expects_nothing(901));
  EXPECT_FALSE(expects_nothing(902));
  EXPECT_TRUE(expects_nothing(900));
  EXPECT_TRUE(expects_nothing(903));
  numbers_end(902, ~0u);
  EXPECT_FALSE(expects_nothing(900));
  EXPECT_FALSE(expects_nothing(903));
}

}  // namespace
}  // namespace weir::path
