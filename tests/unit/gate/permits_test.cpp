// SPDX-License-Identifier: Apache-2.0
#include "gate/permits.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace weir::gate {
namespace {

TEST(PermitsTest, hands_out_no_more_than_the_limit) {
  Permits permits;
  permits.set_limit(2);
  EXPECT_TRUE(permits.acquire(0));
  EXPECT_TRUE(permits.acquire(0));
  EXPECT_FALSE(permits.acquire(0));
  EXPECT_EQ(permits.release(), nullptr);
  EXPECT_TRUE(permits.acquire(0));
  EXPECT_EQ(permits.held(), 2);
}

TEST(PermitsTest, none_is_left_for_one_more_while_somebody_waits) {
  Permits permits;
  permits.set_limit(2);
  op::Request a, b, c;
  EXPECT_TRUE(permits.any_left());
  EXPECT_TRUE(permits.admit(a));
  EXPECT_TRUE(permits.any_left());
  EXPECT_TRUE(permits.admit(b));
  EXPECT_FALSE(permits.any_left());
  EXPECT_FALSE(permits.admit(c));
  permits.set_limit(3);
  EXPECT_FALSE(permits.any_left());  // it is the one's that waits
  permits.set_limit(4);
  EXPECT_TRUE(permits.any_left());
}

TEST(PermitsTest, a_request_that_is_withdrawn_is_passed_over) {
  Permits permits;
  permits.set_limit(1);
  op::Request a, b, c, d;
  EXPECT_TRUE(permits.admit(a));
  EXPECT_FALSE(permits.withdraw(a));
  EXPECT_FALSE(permits.admit(b) || permits.admit(c) || permits.admit(d));
  EXPECT_TRUE(permits.withdraw(b));
  EXPECT_FALSE(permits.withdraw(b));
  EXPECT_TRUE(permits.withdraw(d));
  EXPECT_EQ(permits.waiting(), 1);
  EXPECT_EQ(permits.release(), &c);
  EXPECT_EQ(permits.release(), nullptr);
  EXPECT_TRUE(permits.admit(d));
  EXPECT_FALSE(permits.admit(b));
  EXPECT_EQ(permits.release(), &b);
}

TEST(PermitsTest, a_limit_is_never_below_one) {
  Permits permits;
  permits.set_limit(0);
  EXPECT_TRUE(permits.acquire(0));
  EXPECT_FALSE(permits.acquire(0));
}

TEST(PermitsTest, queued_requests_go_in_their_order_as_permits_come_back) {
  Permits permits;
  permits.set_limit(1);
  op::Request a, b, c;
  EXPECT_TRUE(permits.admit(a));
  EXPECT_FALSE(permits.admit(b));
  EXPECT_FALSE(permits.admit(c));
  EXPECT_EQ(permits.release(), &b);
  EXPECT_EQ(permits.release(), &c);
  EXPECT_EQ(permits.release(), nullptr);
  EXPECT_EQ(permits.held(), 0);
}

TEST(PermitsTest, a_raised_limit_lets_queued_requests_out) {
  Permits permits;
  permits.set_limit(1);
  op::Request a, b, c;
  ASSERT_TRUE(permits.admit(a));
  ASSERT_FALSE(permits.admit(b));
  ASSERT_FALSE(permits.admit(c));
  permits.set_limit(3);
  EXPECT_EQ(permits.raised(), &b);
  EXPECT_EQ(permits.raised(), &c);
  EXPECT_EQ(permits.raised(), nullptr);
}

TEST(PermitsTest, a_request_that_waited_too_long_is_let_through) {
  Permits permits;
  permits.set_limit(1);
  op::Request a, b;
  ASSERT_TRUE(permits.admit(a));
  ASSERT_FALSE(permits.admit(b));
  std::int64_t now = base::now_ns();
  EXPECT_EQ(permits.overdue(now, base::ns_per_s), nullptr);
  EXPECT_EQ(permits.overdue(now + 2 * base::ns_per_s, base::ns_per_s), &b);
  EXPECT_EQ(permits.held(), 2);
  EXPECT_FALSE(permits.anyone_queued());
}

TEST(PermitsTest, while_permits_come_back_the_queue_waits_its_turn) {
  Permits permits;
  permits.set_limit(1);
  op::Request a, b, c;
  ASSERT_TRUE(permits.admit(a));
  ASSERT_FALSE(permits.admit(b));
  ASSERT_FALSE(permits.admit(c));
  c.time[0] = b.time[0] -= 10 * base::ns_per_s;  // both have waited long
  EXPECT_EQ(permits.release(), &b);
  std::int64_t now = base::now_ns();
  EXPECT_EQ(permits.overdue(now, base::ns_per_s), nullptr);
  EXPECT_EQ(permits.overdue(now + 2 * base::ns_per_s, base::ns_per_s), &c);
}

TEST(PermitsTest, while_none_comes_back_more_and_more_are_let_through_but_never_all_at_once) {
  Permits permits;
  permits.set_limit(3);
  std::array<op::Request, 40> requests;
  for (op::Request& request : requests) permits.admit(request);
  std::int64_t now = base::now_ns() - 15 * base::ns_per_s;
  for (op::Request& request : requests) request.time[0] = now;
  auto let_through = [&] {
    int count = 0;
    while (permits.overdue(now, base::ns_per_s)) ++count;
    return count;
  };
  EXPECT_EQ(let_through(), 0);
  for (int expected : {1, 2, 3, 3}) {
    now += 2 * base::ns_per_s;
    EXPECT_EQ(let_through(), expected);
    EXPECT_EQ(let_through(), 0);
    now += base::ns_per_s / 2;
    EXPECT_EQ(let_through(), 0);
  }
  for (int i = 0; i < 10; ++i) permits.release();  // those over the limit, and one more
  now = base::now_ns();
  EXPECT_EQ(let_through(), 0);
  now += 20 * base::ns_per_s;
  EXPECT_EQ(let_through(), 1);
}

TEST(PermitsTest, who_finds_none_says_so) {
  static int told = 0;
  told = 0;
  Permits permits;
  permits.set_limit(1);
  permits.on_crowded([] { ++told; });
  op::Request a, b;
  ASSERT_TRUE(permits.admit(a));
  EXPECT_EQ(told, 0);
  ASSERT_FALSE(permits.admit(b));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(permits.waiting(), 1);
  EXPECT_FALSE(permits.acquire(0));
  EXPECT_EQ(told, 2);
}

TEST(PermitsTest, a_sleeper_has_its_turn_though_the_others_never_leave_one_free) {
  Permits permits;
  permits.set_limit(16);
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(permits.acquire(0));
  std::thread sleeper([&] { EXPECT_TRUE(permits.acquire(20 * base::ns_per_s)); });
  while (permits.waiting() == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // or it has one with no sleep, and nothing is shown
  std::int64_t began = base::now_ns();
  bool ours = true;
  for (int i = 0; i < 64 && ours; ++i) {
    permits.release();
    ours = permits.acquire(0);
  }
  EXPECT_FALSE(ours);
  sleeper.join();
  EXPECT_LT(base::now_ns() - began, 10 * base::ns_per_s);
  EXPECT_EQ(permits.held(), 16);
}

TEST(PermitsTest, a_sleeper_has_its_turn_before_requests_that_keep_coming) {
  Permits permits;
  permits.set_limit(16);
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(permits.acquire(0));
  std::array<op::Request, 64> requests;
  for (op::Request& request : requests) ASSERT_FALSE(permits.admit(request));
  std::thread sleeper([&] { EXPECT_TRUE(permits.acquire(20 * base::ns_per_s)); });
  while (permits.waiting() == 64) std::this_thread::yield();
  int served = 0;
  while (served < 64 && permits.release()) ++served;
  EXPECT_LT(served, 64);
  sleeper.join();
  EXPECT_EQ(permits.held(), 16);
}

TEST(PermitsTest, a_sleeper_joins_when_few_are_held_and_has_what_is_free_in_any_case) {
  Permits permits;
  permits.set_limit(16);
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(permits.acquire(0));
  std::int64_t began = base::now_ns();
  std::thread sleeper([&] { EXPECT_TRUE(permits.acquire(20 * base::ns_per_s)); });
  while (permits.waiting() == 0) std::this_thread::yield();
  for (int i = 0; i < 3; ++i) permits.release();
  sleeper.join();
  EXPECT_LT(base::now_ns() - began, 10 * base::ns_per_s);
  EXPECT_EQ(permits.held(), 14);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(permits.acquire(0));
  std::thread another([&] { EXPECT_TRUE(permits.acquire(50 * base::ns_per_ms)); });
  while (permits.waiting() == 0) std::this_thread::yield();
  permits.release();  // wakes nobody
  another.join();
  EXPECT_EQ(permits.held(), 16);
}

// Threads and requests compete; whatever the order, every permit comes back and nobody is forgotten.
TEST(PermitsTest, nothing_is_lost_when_many_compete) {
  Permits permits;
  permits.set_limit(3);
  constexpr int rounds = 20'000;
  std::atomic<int> requests_done{0};
  // What comes out of release() holds a permit: give it back, as a driver would.
  auto finish = [&](op::Request* next) {
    while (next) {
      ++requests_done;
      next = permits.release();
    }
  };
  std::vector<op::Request> pool(rounds);
  std::vector<std::thread> threads;
  std::atomic<int> taken{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = taken++; i < rounds; i = taken++)
        if (permits.admit(pool[i])) finish(&pool[i]);
    });
    threads.emplace_back([&] {
      for (int i = 0; i < 5'000; ++i)
        if (permits.acquire(base::ns_per_s)) finish(permits.release());
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(requests_done, rounds);
  EXPECT_EQ(permits.held(), 0);
  EXPECT_FALSE(permits.anyone_queued());
}

}  // namespace
}  // namespace weir::gate
