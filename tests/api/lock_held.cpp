// SPDX-License-Identifier: Apache-2.0
// Tasks of the pool that hold a lock over weir's waits. What sees locks, the preload, keeps such a task on its thread.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "all_do.h"
#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(LockHeldTest, over_a_call) {
  std::mutex mutex;
  int count = 0;
  all_do(20, [&] {
    std::lock_guard locked(mutex);
    int before = count;
    weir_sleep(ms / 2);
    count = before + 1;
  });
  EXPECT_EQ(count, 20);
}

TEST(LockHeldTest, over_the_wait_for_an_operation) {
  std::mutex mutex;
  int count = 0;
  all_do(20, [&] {
    std::lock_guard locked(mutex);
    int before = count;
    weir::async_sleep(std::chrono::microseconds(500)).get();
    count = before + 1;
  });
  EXPECT_EQ(count, 20);
}

TEST(LockHeldTest, over_the_wait_for_another_task) {
  std::mutex mutex;
  int count = 0;
  all_do(20, [&] {
    std::lock_guard locked(mutex);
    int before = count;
    weir::async([] { weir_sleep(ms / 2); }).get();
    count = before + 1;
  });
  EXPECT_EQ(count, 20);
}

// The one awaited is not the newest: who waits can't do it itself.
TEST(LockHeldTest, over_the_wait_for_what_another_worker_is_to_do) {
  std::mutex mutex;
  int count = 0;
  weir::async([&] {
    std::lock_guard locked(mutex);
    auto awaited = weir::async([&] { ++count; });
    std::vector<weir::future<void>> computing;
    for (int i = 0; i < 2 * weir_pool_size(); ++i)
      computing.push_back(weir::async([] { weir_sleep(ms); }));
    awaited.get();
    for (auto& one : computing) one.get();
  }).get();
  EXPECT_EQ(count, 1);
}

TEST(LockHeldTest, the_task_stays_on_its_thread) {
  std::recursive_mutex mutex;
  int moved = 0, count = 0;
  all_do(20, [&] {
    std::lock_guard locked(mutex);
    std::thread::id here = std::this_thread::get_id();
    weir_sleep(ms / 2);
    moved += std::this_thread::get_id() != here;
    std::lock_guard twice(mutex);
    ++count;
  });
  EXPECT_EQ(moved, 0);
  EXPECT_EQ(count, 20);
}

// As many workers as there are cores serve, were it others than before.
TEST(LockHeldTest, workers_are_no_more_than_before) {
  std::mutex mutex;
  for (int i = 0; i < 20; ++i)
    all_do(20, [&] {
      std::lock_guard locked(mutex);
      weir_sleep(ms / 20);
    });
  std::atomic<int> now{0}, most{0};
  all_do(1000, [&] {
    int running = ++now;
    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {}
    auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {}
    --now;
  });
  EXPECT_LE(most.load(), weir_pool_size());
}

}  // namespace
