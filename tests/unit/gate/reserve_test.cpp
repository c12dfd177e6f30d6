// SPDX-License-Identifier: Apache-2.0
#include "gate/reserve.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"

namespace weir::gate {
namespace {

constexpr std::int64_t long_ns = 20 * base::ns_per_s;
bool yes() { return true; }
bool no() { return false; }

void until_behind(const Reserve& reserve, std::int64_t at_work) {
  while (reserve.at_work() != at_work) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(ReserveTest, who_stays_behind_is_not_at_work_until_it_is_called) {
  Reserve reserve;
  for (int i = 0; i < 3; ++i) reserve.enter();
  std::atomic<int> back{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      EXPECT_EQ(reserve.stay(long_ns, false, yes), Reserve::Woken::called);
      ++back;
    });
  }
  until_behind(reserve, 1);
  EXPECT_EQ(back, 0);
  reserve.call_one();
  until_behind(reserve, 2);
  while (back != 1) std::this_thread::yield();
  reserve.call_all();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(back, 2);
  EXPECT_EQ(reserve.at_work(), 3);
  EXPECT_EQ(reserve.behind(), 0);
}

TEST(ReserveTest, the_lookout_is_called_last) {
  Reserve reserve;
  for (int i = 0; i < 3; ++i) reserve.enter();
  std::atomic<int> lookouts{0}, others{0};
  std::vector<std::thread> threads;
  for (bool lookout : {false, true, false}) {
    threads.emplace_back([&, lookout] {
      reserve.stay(long_ns, lookout, yes);
      ++(lookout ? lookouts : others);
    });
    until_behind(reserve, 3 - static_cast<std::int64_t>(threads.size()));
  }
  reserve.call_one();
  reserve.call_one();
  while (others != 2) std::this_thread::yield();
  EXPECT_EQ(lookouts, 0);
  reserve.call_one();
  for (auto& thread : threads) thread.join();
}

TEST(ReserveTest, nobody_stays_behind_for_ever) {
  Reserve reserve;
  reserve.enter();
  EXPECT_EQ(reserve.stay(base::ns_per_ms, false, yes), Reserve::Woken::timeout);
  EXPECT_EQ(reserve.at_work(), 1);
}

TEST(ReserveTest, who_is_of_use_after_all_does_not_wait) {
  Reserve reserve;
  reserve.enter();
  std::int64_t began = base::now_ns();
  EXPECT_EQ(reserve.stay(long_ns, false, no), Reserve::Woken::of_use);
  EXPECT_LT(base::now_ns() - began, long_ns / 2);
  EXPECT_EQ(reserve.behind(), 0);
}

// Who calls when it has made them of use, and who stays unless it is of use: one sees the other.
TEST(ReserveTest, none_is_left_behind_by_a_call_that_came_just_then) {
  Reserve reserve;
  for (int round = 0; round < 2000; ++round) {
    std::atomic<bool> over{false};
    reserve.enter();
    std::thread stays([&] { reserve.stay(long_ns, false, [&] { return !over.load(); }); });
    over = true;
    reserve.call_all();
    std::int64_t began = base::now_ns();
    stays.join();
    ASSERT_LT(base::now_ns() - began, long_ns / 2);
    reserve.leave();
  }
}

TEST(ReserveTest, has_one_for_an_idle_core_only_while_one_waits_for_that) {
  Reserve reserve;
  EXPECT_FALSE(reserve.has_one_for_idle_core());
  for (int i = 0; i < 2; ++i) reserve.enter();
  reserve.for_idle_cores(true);
  EXPECT_FALSE(reserve.has_one_for_idle_core());
  std::thread behind([&] { reserve.stay(long_ns, false, yes); });
  until_behind(reserve, 1);
  EXPECT_TRUE(reserve.has_one_for_idle_core());
  reserve.for_idle_cores(false);
  EXPECT_FALSE(reserve.has_one_for_idle_core());
  reserve.call_all();
  behind.join();
}

}  // namespace
}  // namespace weir::gate
