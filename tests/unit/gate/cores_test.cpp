// SPDX-License-Identifier: Apache-2.0
#include "gate/cores.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"

namespace weir::gate {
namespace {

TEST(CoresTest, nobody_waits_for_ever) {
  Cores cores;
  cores.set_limit(1);
  EXPECT_TRUE(cores.take(0));
  EXPECT_FALSE(cores.take(base::ns_per_ms));  // went on over the limit
  EXPECT_EQ(cores.held(), 2);
  cores.give();
  cores.give();
  EXPECT_EQ(cores.held(), 0);
}

TEST(CoresTest, who_waits_in_vain_makes_the_next_wait_shorter) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::int64_t began = base::now_ns();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(cores.take(100 * base::ns_per_ms));
  EXPECT_LT(base::now_ns() - began, 5 * base::ns_per_s);  // not 100 times 100 ms
}

TEST(CoresTest, who_waits_while_slots_are_given_back_waits_longer_but_not_for_ever) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::atomic<bool> over{false};
  std::int64_t took = 0;
  std::thread waits([&] {
    std::int64_t began = base::now_ns();
    EXPECT_FALSE(cores.take(20 * base::ns_per_ms));
    took = base::now_ns() - began;
    over = true;
  });
  while (!over) {
    cores.take_over();
    cores.give();  // one is held still
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  waits.join();
  EXPECT_GE(took, 60 * base::ns_per_ms);
  EXPECT_LT(took, 5 * base::ns_per_s);
}

TEST(CoresTest, a_slot_given_back_goes_to_who_came_last) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::atomic<int> order{0};
  int first_at = 0, second_at = 0;
  std::atomic<int> waiting{0};
  auto wait_for = [&](int& at) {
    ++waiting;
    ASSERT_TRUE(cores.take(20 * base::ns_per_s));
    at = ++order;
    cores.give();
  };
  std::thread first([&] { wait_for(first_at); });
  while (waiting < 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread second([&] { wait_for(second_at); });
  while (waiting < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cores.give();
  first.join();
  second.join();
  EXPECT_EQ(second_at, 1);
  EXPECT_EQ(first_at, 2);
}

TEST(CoresTest, a_higher_limit_calls_those_who_wait) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::thread waits([&] { EXPECT_TRUE(cores.take(20 * base::ns_per_s)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cores.set_limit(2);
  waits.join();
  EXPECT_EQ(cores.held(), 2);
}

TEST(CoresTest, spare_slots_are_for_who_has_a_task) {
  Cores cores;
  cores.set_limit(1, 1);
  ASSERT_TRUE(cores.take(0));
  EXPECT_FALSE(cores.take(base::ns_per_ms, Cores::looks_for_work));
  cores.give();
  EXPECT_TRUE(cores.take(0));
  EXPECT_FALSE(cores.crowded());
  EXPECT_FALSE(cores.take(base::ns_per_ms));
  EXPECT_TRUE(cores.crowded());
}

TEST(CoresTest, a_slot_is_spare_again_when_given_back_over_the_limit) {
  Cores cores;
  cores.set_limit(1, 1);
  ASSERT_TRUE(cores.take(0));
  ASSERT_TRUE(cores.take(0));
  std::atomic<bool> looked{false};
  std::thread looks([&] { looked = cores.take(20 * base::ns_per_s, Cores::looks_for_work); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread works([&] { EXPECT_TRUE(cores.take(20 * base::ns_per_s)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cores.give();  // to who has a task, though the other came first
  works.join();
  EXPECT_FALSE(looked);
  cores.give();
  EXPECT_FALSE(looked);  // one is held still
  cores.give();
  looks.join();
  EXPECT_TRUE(looked);
}

TEST(CoresTest, at_most_the_limit_compute_at_once) {
  Cores cores;
  cores.set_limit(3);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2'000; ++i) {
        bool within = cores.take(60 * base::ns_per_s);
        ASSERT_TRUE(within);
        int now = ++inside;
        int seen = most.load();
        while (now > seen && !most.compare_exchange_weak(seen, now)) {}
        --inside;
        cores.give();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_LE(most, 3);
  EXPECT_EQ(cores.held(), 0);
}

}  // namespace
}  // namespace weir::gate
