// SPDX-License-Identifier: Apache-2.0
// Tasks that block their workers until other tasks have done something: there are workers for those too, whatever it is that
// they block in, and as few as there are cores again afterwards.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "all_do.h"
#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(BlockedWorkersTest, meet_at_a_condition) {
  const int tasks = 4 * weir_pool_size();
  std::mutex mutex;
  std::condition_variable all_here;
  int here = 0;
  all_do(tasks, [&] {
    std::unique_lock locked(mutex);
    if (++here == tasks) all_here.notify_all();
    all_here.wait(locked, [&] { return here == tasks; });
  });
  EXPECT_EQ(here, tasks);
}

TEST(BlockedWorkersTest, meet_at_a_barrier_again_and_again) {
  const int tasks = 3 * weir_pool_size();
  std::barrier barrier(tasks);
  all_do(tasks, [&] {
    for (int i = 0; i < 20; ++i) {
      barrier.arrive_and_wait();
      weir_sleep(ms / 10);
    }
  });
}

TEST(BlockedWorkersTest, read_what_a_task_is_to_write) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int tasks = 2 * weir_pool_size();
  std::vector<weir::future<ssize_t>> readers;
  for (int i = 0; i < tasks; ++i) readers.push_back(weir::async([&] {
    char byte;
    return read(ends[0], &byte, 1);
  }));
  usleep(50'000);
  all_do(tasks, [&] { EXPECT_EQ(write(ends[1], "x", 1), 1); });
  for (auto& one : readers) EXPECT_EQ(one.get(), 1);
  close(ends[0]);
  close(ends[1]);
}

// Where nobody counts locks, a task is set aside with one.
TEST(BlockedWorkersTest, wait_for_a_lock_that_a_task_set_aside_holds) {
  std::mutex mutex;
  int count = 0;
  all_do(10, [&] {
    std::lock_guard locked(mutex);
    int before = count;
    weir_sleep(ms);
    count = before + 1;
  });
  EXPECT_EQ(count, 10);
}

TEST(BlockedWorkersTest, have_the_programs_signal_mask) {
  const int tasks = 2 * weir_pool_size();
  std::atomic<int> blocked{0};
  std::barrier barrier(tasks);
  all_do(tasks, [&] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    blocked += sigismember(&mask, SIGUSR1);
    barrier.arrive_and_wait();
  });
  EXPECT_EQ(blocked.load(), 0);
}

TEST(BlockedWorkersTest, meet_in_a_forked_child) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const int tasks = 2 * weir_pool_size();
    std::barrier barrier(tasks);
    all_do(tasks, [&] { barrier.arrive_and_wait(); });
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

TEST(BlockedWorkersTest, are_no_more_than_before_that_compute) {
  std::atomic<int> now{0}, most{0};
  all_do(2000, [&] {
    int running = ++now;
    for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {}
    auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < end) {}
    --now;
  });
  EXPECT_LE(most.load(), weir_pool_size());
}

TEST(BlockedWorkersTest, go_on_after_a_long_rest) {
  for (int round = 0; round < 3; ++round) {
    usleep(400'000);  // nobody looks after them by then
    const int tasks = 2 * weir_pool_size();
    std::barrier barrier(tasks);
    all_do(tasks, [&] { barrier.arrive_and_wait(); });
  }
}

}  // namespace
