// SPDX-License-Identifier: Apache-2.0
#include "path/guess.h"

#include <gtest/gtest.h>

namespace weir::path {
namespace {

int left_out(int socket, int calls) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    if (expects_nothing(socket)) ++count;
    else tried(socket, true);
  }
  return count;
}

TEST(GuessTest, some_tries_in_vain_make_the_next_be_left_out) {
  constexpr int socket = 1;
  EXPECT_EQ(left_out(socket, 4), 0);
  EXPECT_TRUE(expects_nothing(socket));
  EXPECT_FALSE(expects_nothing(socket + 1));
}

TEST(GuessTest, one_in_32_is_made_all_the_same) {
  constexpr int socket = 3;
  left_out(socket, 4);
  EXPECT_EQ(left_out(socket, 3200), 3100);
}

TEST(GuessTest, one_that_found_something_makes_the_next_be_made) {
  constexpr int socket = 4;
  left_out(socket, 4);
  while (expects_nothing(socket)) {}
  tried(socket, false);
  EXPECT_EQ(left_out(socket, 4), 0);
}

TEST(GuessTest, any_number_will_do) {
  EXPECT_FALSE(expects_nothing(-1));
  EXPECT_FALSE(expects_nothing(1 << 30));
}

}  // namespace
}  // namespace weir::path
