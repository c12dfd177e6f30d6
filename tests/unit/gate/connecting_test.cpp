// SPDX-License-Identifier: Apache-2.0
#include "gate/connecting.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"

namespace weir::gate {
namespace {

constexpr std::int64_t at_once_ns = 50'000;
constexpr int at_first = 8;  // on one core

std::vector<Connecting::Turn> begun(Connecting& connecting, int many) {
  std::vector<Connecting::Turn> turns;
  for (int i = 0; i < many; ++i) turns.push_back(connecting.begin(1));
  return turns;
}

TEST(ConnectingTest, those_that_are_done_in_their_turn_let_more_be_made_at_a_time) {
  Connecting connecting;
  std::vector<Connecting::Turn> turns = begun(connecting, at_first);
  for (Connecting::Turn turn : turns) connecting.made(turn, at_once_ns);
  EXPECT_EQ(connecting.more_at_a_time(), at_first);
  begun(connecting, at_first);  // none waits, though the first are new
}

TEST(ConnectingTest, where_older_ones_found_no_room_there_are_no_more) {
  Connecting connecting;
  std::vector<Connecting::Turn> stuck = begun(connecting, 3);
  for (int i = 0; i < 100; ++i) {
    Connecting::Turn turn = connecting.begin(1);
    connecting.made(turn, at_once_ns);
    connecting.over(turn);
  }
  EXPECT_EQ(connecting.more_at_a_time(), 0);
  connecting.made(stuck[0], base::ns_per_s);
  EXPECT_EQ(connecting.more_at_a_time(), 0) << "it tried twice";
}

TEST(ConnectingTest, one_more_waits_for_one_that_is_old) {
  Connecting connecting;
  std::vector<Connecting::Turn> first = begun(connecting, at_first);
  std::atomic<bool> goes_on{false};
  std::thread another([&] {
    connecting.begin(1);
    goes_on = true;
  });
  connecting.made(first.back(), at_once_ns);  // not in its turn
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(goes_on);
  connecting.over(first.back());
  another.join();
  EXPECT_TRUE(goes_on);
  EXPECT_EQ(connecting.more_at_a_time(), 0);
}

TEST(ConnectingTest, a_child_knows_nothing_of_those_that_were_at_it) {
  Connecting connecting;
  begun(connecting, at_first);
  connecting.after_fork();
  std::vector<Connecting::Turn> turns = begun(connecting, at_first);  // none waits
  EXPECT_EQ(std::ssize(turns), at_first);
}

}  // namespace
}  // namespace weir::gate
