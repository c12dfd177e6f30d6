// SPDX-License-Identifier: Apache-2.0
#include "path/guess.h"

#include <gtest/gtest.h>

namespace weir::path {
namespace {

class GuessTest : public ::testing::Test {
 protected:
  void TearDown() override { numbers_end(0, ~0u); }
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
  std::uint8_t before = endings_of(socket);
  number_ends(socket);
  EXPECT_FALSE(expects_nothing(socket));
  EXPECT_NE(endings_of(socket), before);
  number_ends(-1);
}

TEST_F(GuessTest, numbers_end_together) {
  std::uint8_t before[4];
  for (int fd = 0; fd < 4; ++fd) before[fd] = endings_of(900 + fd);
  numbers_end(901, 902);
  numbers_end(903, 901);  // none
  EXPECT_EQ(endings_of(900), before[0]);
  EXPECT_NE(endings_of(901), before[1]);
  EXPECT_NE(endings_of(902), before[2]);
  EXPECT_EQ(endings_of(903), before[3]);
  numbers_end(902, ~0u);
  EXPECT_NE(endings_of(900), before[0]);
  EXPECT_NE(endings_of(903), before[3]);
}

}  // namespace
}  // namespace weir::path
