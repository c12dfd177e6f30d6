// SPDX-License-Identifier: Apache-2.0
// Tasks that leave by pthread_exit: their futures say so, what they held is gone, and the pool has as many workers as before.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

using namespace std::chrono_literals;

template <typename Future>
bool is_broken(Future& future) {
  try {
    future.get();
  } catch (const weir::future_error& error) {
    return error.code() == weir::future_errc::broken_promise;
  }
  return false;
}

// As many tasks as there are cores run at once.
void expect_all_workers() {
  const int workers = weir_pool_size();
  std::atomic<int> here{0};
  std::vector<weir::future<bool>> all;
  for (int i = 0; i < workers; ++i)
    all.push_back(weir::async([&] {
      ++here;
      auto end = std::chrono::steady_clock::now() + 20s;
      while (here < workers && std::chrono::steady_clock::now() < end) {}
      return here == workers;
    }));
  for (auto& one : all) EXPECT_TRUE(one.get());
}

struct Held {
  std::atomic<int>& count;
  explicit Held(std::atomic<int>& c) : count(c) { ++count; }
  Held(const Held& other) : count(other.count) { ++count; }
  ~Held() { --count; }
};

TEST(ExitInTaskTest, breaks_the_promise) {
  std::atomic<int> held{0};
  auto future = weir::async([kept = Held(held)] {
    Held here(kept.count);
    pthread_exit(nullptr);
    return 1;
  });
  EXPECT_TRUE(is_broken(future));
  EXPECT_EQ(held.load(), 0);
  expect_all_workers();
}

TEST(ExitInTaskTest, after_it_was_set_aside) {
  auto future = weir::async([] {
    weir_sleep(2'000'000);
    pthread_exit(nullptr);
  });
  EXPECT_TRUE(is_broken(future));
  expect_all_workers();
}

TEST(ExitInTaskTest, is_told_to_who_continues) {
  auto future = weir::async([] { pthread_exit(nullptr); }).then([](weir::future<void> before) { return is_broken(before); });
  EXPECT_TRUE(future.get());
}

// Who waits for it may run it: then both are over.
TEST(ExitInTaskTest, takes_along_who_runs_it) {
  auto future = weir::async([] {
    auto inner = weir::async([] { pthread_exit(nullptr); });
    try {
      inner.get();
    } catch (const weir::future_error&) {
    }
  });
  future.wait();
  expect_all_workers();
}

TEST(ExitInTaskTest, more_often_than_there_are_workers) {
  for (int i = 0; i < 1000; ++i) {
    auto future = weir::async([] { pthread_exit(nullptr); });
    ASSERT_TRUE(is_broken(future)) << i;
  }
  expect_all_workers();
}

TEST(ExitInTaskTest, of_a_packaged_task_ends_its_thread) {
  weir::packaged_task<int()> task([]() -> int { pthread_exit(nullptr); });
  auto future = task.get_future();
  std::thread([&] { task(); }).join();
  EXPECT_TRUE(is_broken(future));
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(catch_exceptions) = false;
  return RUN_ALL_TESTS();
}
