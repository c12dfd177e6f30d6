// SPDX-License-Identifier: Apache-2.0
#include "gate/connecting.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
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

// Requests of tasks, to one core's server; those that waited for their turn and had it.
std::vector<op::Request*> went;
struct Asked {
  explicit Asked(int fd) { request.op = op::of_socket(op::Kind::connect, fd, nullptr, 0, 0); }
  bool begins(Connecting& connecting) {
    return connecting.admit(request, 1, [](op::Request& one) { went.push_back(&one); });
  }
  op::Request request;
};

class RequestsTest : public testing::Test {
 protected:
  RequestsTest() {
    went.clear();
    for (int fd = 0; fd < at_first + 2; ++fd) all.emplace_back(std::make_unique<Asked>(fd));
  }
  int begin_all() {
    int begun = 0;
    for (auto& one : all) begun += one->begins(connecting);
    return begun;
  }
  void made_at_last(Asked& one) {  // before others that began before it
    one.request.result = 0;
    connecting.ended(one.request);
  }
  Connecting connecting;
  std::vector<std::unique_ptr<Asked>> all;
};

TEST_F(RequestsTest, one_goes_when_another_was_used) {
  EXPECT_EQ(begin_all(), at_first);
  made_at_last(*all[at_first - 1]);
  EXPECT_TRUE(went.empty()) << "it is new";
  EXPECT_TRUE(connecting.may_be_new_at(at_first - 1));
  connecting.over_at(at_first - 1);
  EXPECT_FALSE(connecting.may_be_new_at(at_first - 1));
  EXPECT_EQ(went, std::vector{&all[at_first]->request});
}

TEST_F(RequestsTest, those_made_in_their_turn_let_more_go) {
  begin_all();
  made_at_last(*all[0]);
  EXPECT_EQ(std::ssize(went), 1);
  EXPECT_EQ(connecting.more_at_a_time(), 1);
}

TEST_F(RequestsTest, one_goes_when_another_has_failed) {
  begin_all();
  all[5]->request.result = -ECONNREFUSED;
  connecting.ended(all[5]->request);
  EXPECT_EQ(went, std::vector{&all[at_first]->request});
}

TEST_F(RequestsTest, one_that_is_taken_back_has_no_turn) {
  begin_all();
  EXPECT_TRUE(connecting.withdraw(all[at_first]->request));
  EXPECT_FALSE(connecting.withdraw(all[at_first]->request));
  connecting.ended(all[at_first]->request);
  made_at_last(*all[0]);
  EXPECT_EQ(went, std::vector{&all[at_first + 1]->request});
}

TEST_F(RequestsTest, one_goes_before_its_number_ends) {
  begin_all();
  connecting.number_ends(at_first + 1);
  EXPECT_EQ(went, std::vector{&all[at_first + 1]->request});
}

TEST_F(RequestsTest, one_that_has_waited_for_long_goes) {
  begin_all();
  connecting.look(base::now_ns() + base::ns_per_s);
  EXPECT_TRUE(went.empty());
  connecting.look(base::now_ns() + 5 * base::ns_per_s);
  EXPECT_EQ(std::ssize(went), 2);
  EXPECT_FALSE(connecting.any_queued());
}

TEST_F(RequestsTest, nothing_need_be_seen_of_one_that_was_made_long_ago) {
  begin_all();
  made_at_last(*all[at_first - 1]);
  connecting.look(base::now_ns() + 2 * base::ns_per_s);
  EXPECT_EQ(std::ssize(went), 1);
}

TEST_F(RequestsTest, one_with_a_limit_waits_for_no_other) {
  begin_all();
  Asked limited(100);
  limited.request.op.timeout_ns = base::ns_per_s;
  EXPECT_TRUE(limited.begins(connecting));
}

}  // namespace
}  // namespace weir::gate
