// SPDX-License-Identifier: Apache-2.0
#include "gate/cores.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"
#include "gate/gate.h"

namespace weir::gate {
namespace {

void until_waiting(const Cores& cores, std::int64_t how_many) {
  while (cores.waiting() < how_many) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

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
  auto wait_for = [&](int& at) {
    ASSERT_TRUE(cores.take(20 * base::ns_per_s));
    at = ++order;
    cores.give();
  };
  std::thread first([&] { wait_for(first_at); });
  until_waiting(cores, 1);
  std::thread second([&] { wait_for(second_at); });
  until_waiting(cores, 2);
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
  until_waiting(cores, 1);
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
  until_waiting(cores, 1);
  std::thread works([&] { EXPECT_TRUE(cores.take(20 * base::ns_per_s)); });
  until_waiting(cores, 2);
  cores.give();  // to who has a task, though the other came first
  works.join();
  EXPECT_FALSE(looked);
  cores.give();
  EXPECT_FALSE(looked);  // one is held still
  cores.give();
  looks.join();
  EXPECT_TRUE(looked);
}

TEST(CoresTest, who_makes_way_goes_on_after_all_that_wait) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::atomic<int> order{0};
  auto look = [&](int& at) {
    ASSERT_TRUE(cores.take(20 * base::ns_per_s, Cores::looks_for_work));
    at = ++order;
    cores.give();
  };
  int first_at = 0, second_at = 0;
  std::thread first([&] { look(first_at); });
  until_waiting(cores, 1);
  std::thread second([&] { look(second_at); });
  until_waiting(cores, 2);
  EXPECT_TRUE(cores.make_way(20 * base::ns_per_s));
  EXPECT_EQ(++order, 3);
  EXPECT_EQ(cores.held(), 1);
  first.join();
  second.join();
  EXPECT_EQ(second_at, 1);
  EXPECT_EQ(first_at, 2);
}

TEST(CoresTest, who_spins_in_a_task_goes_on_after_all_that_have_one) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::atomic<int> worked{0};
  std::vector<std::jthread> all;
  for (int t = 1; t <= 2; ++t) {
    all.emplace_back([&] {
      ASSERT_TRUE(cores.take(20 * base::ns_per_s));
      ++worked;
      cores.give();
    });
    until_waiting(cores, t);
  }
  EXPECT_TRUE(cores.make_way(20 * base::ns_per_s, Cores::has_task));
  EXPECT_EQ(worked, 2);
  EXPECT_EQ(cores.held(), 1);
  EXPECT_FALSE(cores.wanted());
}

TEST(CoresTest, who_spins_in_a_task_makes_no_way_for_who_looks_for_work) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::jthread looks([&] {
    cores.take(20 * base::ns_per_s, Cores::looks_for_work);
    cores.give();
  });
  until_waiting(cores, 1);
  EXPECT_FALSE(cores.make_way(20 * base::ns_per_s, Cores::has_task));
  EXPECT_EQ(cores.held(), 1);
  cores.give();
}

TEST(CoresTest, while_open_all_that_wait_and_all_that_come_go_on) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  std::vector<std::jthread> all;
  for (auto haste : {Cores::has_task, Cores::looks_for_work}) {
    for (int t = 0; t < 2; ++t) all.emplace_back([&, haste] { EXPECT_TRUE(cores.take(20 * base::ns_per_s, haste)); });
  }
  until_waiting(cores, 4);
  cores.open();
  all.clear();
  EXPECT_TRUE(cores.take(0, Cores::looks_for_work));
  cores.close();
  EXPECT_EQ(cores.held(), 6);
  EXPECT_FALSE(cores.take(base::ns_per_ms, Cores::looks_for_work));
}

TEST(CoresTest, nobody_makes_way_for_nobody) {
  Cores cores;
  cores.set_limit(1);
  ASSERT_TRUE(cores.take(0));
  EXPECT_FALSE(cores.make_way(20 * base::ns_per_s));
  EXPECT_EQ(cores.held(), 1);
}

TEST(CoresTest, who_makes_way_over_the_limit_calls_nobody_and_comes_back_in_turn) {
  Cores cores;
  cores.set_limit(1);
  cores.take_over();
  cores.take_over();
  std::atomic<bool> looked{false};
  std::thread looks([&] {
    looked = cores.take(20 * base::ns_per_s, Cores::looks_for_work);
    cores.give();
  });
  until_waiting(cores, 1);
  std::thread other([&] {
    until_waiting(cores, 2);
    EXPECT_FALSE(looked);
    cores.give();  // the one that the thread below does not hold
  });
  EXPECT_TRUE(cores.make_way(20 * base::ns_per_s));
  EXPECT_TRUE(looked);
  other.join();
  looks.join();
  EXPECT_EQ(cores.held(), 1);
}

TEST(CoresTest, who_makes_way_does_not_wait_for_ever) {
  Cores cores;
  cores.set_limit(1);
  cores.take_over();
  cores.take_over();  // one of them never comes free
  std::thread works([&] { EXPECT_TRUE(cores.take(20 * base::ns_per_s)); });
  until_waiting(cores, 1);
  EXPECT_TRUE(cores.make_way(base::ns_per_ms));
  EXPECT_EQ(cores.held(), 2);
  cores.give();
  cores.give();
  works.join();
}

TEST(CoresTest, hundreds_that_make_way_for_each_other_all_come_by) {
  Cores cores;
  cores.set_limit(2);
  constexpr int threads = 200, turns = 20;
  std::atomic<int> made_way{0};
  std::vector<std::jthread> all;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(cores.take(0));
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      cores.take(20 * base::ns_per_s, Cores::looks_for_work);
      for (int i = 0; i < turns; ++i) made_way += cores.make_way(20 * base::ns_per_s);
      EXPECT_LE(cores.held(), 2);
      cores.give();
    });
  until_waiting(cores, threads);
  for (int i = 0; i < 2; ++i) cores.give();
  all.clear();
  EXPECT_GT(made_way, threads);
  EXPECT_EQ(cores.held(), 0);
  EXPECT_EQ(cores.waiting(), 0);
}

TEST(GateTest, an_idle_thread_makes_way_where_yields_take_long_and_others_wait) {
  Gate gate;
  gate.cores.set_limit(1);
  ASSERT_TRUE(gate.cores.take(0));
  gate.idle_yielded(10 * base::ns_per_ms);
  EXPECT_FALSE(gate.idle_makes_way());  // nobody waits
  std::jthread looks([&] { gate.cores.take(20 * base::ns_per_s, Cores::looks_for_work); });
  until_waiting(gate.cores, 1);
  int times = 0;
  while (gate.idle_makes_way()) ++times;
  EXPECT_EQ(times, 50);  // 200 us each
  for (int i = 0; i < 1000; ++i) gate.idle_yielded(10'000);
  EXPECT_FALSE(gate.idle_makes_way());
  gate.cores.give();
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
