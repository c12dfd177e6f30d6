// SPDX-License-Identifier: Apache-2.0
#include "ring/driver.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "meter/counters.h"
#include "sys/futex.h"
#include "sys/idle.h"

namespace weir::ring {
namespace {

struct Tracked : op::Request {
  std::atomic<std::uint32_t> over{0};
  explicit Tracked(const op::Op& operation) {
    op = operation;
    done = [](op::Request& self) {
      auto& mine = static_cast<Tracked&>(self);
      mine.over.store(1, std::memory_order_release);
      sys::futex_wake(mine.over);
    };
  }
  bool wait(std::int64_t timeout_ns = 20 * base::ns_per_s) {
    std::int64_t end = base::now_ns() + timeout_ns;
    while (!over.load(std::memory_order_acquire) && base::now_ns() < end)
      sys::futex_wait(over, 0, end - base::now_ns());
    return over.load(std::memory_order_acquire);
  }
};

// It would take numbers for its ring that have been given away meanwhile. (It outlives the test.)
TEST(DriverStartTest, a_thread_that_comes_too_late_opens_no_ring) {
  static Driver* all[100];
  for (Driver*& late : all) {
    late = new Driver;
    if (late->start(sys::probe(""), 0) != -ETIMEDOUT) continue;  // the thread was faster
    usleep(50'000);
    EXPECT_FALSE(late->running());
    return;
  }
  GTEST_SKIP() << "it was never late";
}

// A driver runs for ever; the parameter is what it has to do without.
class DriverTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    driver_ = new Driver;  // its thread outlives the test
    sys::Capabilities can = sys::probe(GetParam());
    if (!can.io_uring) GTEST_SKIP() << "no io_uring here: " << can.ring_error;
    ASSERT_EQ(driver_->start(can), 0);
  }
  Driver* driver_ = nullptr;
};

TEST_P(DriverTest, a_timeout_ends_as_one) {
  Tracked request(op::timeout(5 * base::ns_per_ms));
  std::int64_t began = base::now_ns();
  ASSERT_TRUE(driver_->submit(request));
  ASSERT_TRUE(request.wait());
  EXPECT_EQ(request.result, -ETIME);
  EXPECT_GE(base::now_ns() - began, 5 * base::ns_per_ms);
}

TEST_P(DriverTest, a_poll_with_a_limit_ends_with_it) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Tracked request(op::poll(ends[0], POLLIN, 5 * base::ns_per_ms));
  ASSERT_TRUE(driver_->submit(request));
  ASSERT_TRUE(request.wait());
  EXPECT_EQ(request.result, -ECANCELED);
  close(ends[0]);
  close(ends[1]);
}

TEST_P(DriverTest, a_cancelled_request_ends_soon) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Tracked request(op::poll(ends[0], POLLIN));
  ASSERT_TRUE(driver_->submit(request));
  driver_->cancel(request);
  ASSERT_TRUE(request.wait());
  EXPECT_EQ(request.result, -ECANCELED);
  close(ends[0]);
  close(ends[1]);
}

TEST_P(DriverTest, more_at_once_than_the_queue_holds) {
  std::vector<std::unique_ptr<Tracked>> requests;
  for (int i = 0; i < 12'000; ++i) requests.push_back(std::make_unique<Tracked>(op::timeout(base::ns_per_ms)));
  for (auto& request : requests) ASSERT_TRUE(driver_->submit(*request));
  for (auto& request : requests) {
    ASSERT_TRUE(request->wait());
    ASSERT_EQ(request->result, -ETIME);
  }
}

TEST_P(DriverTest, many_threads_submit_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Tracked request(op::timeout(i % 3 * 10'000));
        ASSERT_TRUE(driver_->submit(request));
        if (request.wait()) ++ended;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(ended, 3'000);
}

// With tasks enough to go on with it is in no hurry; but nothing is left lying, and what is urgent is not late.
TEST_P(DriverTest, a_backlog_keeps_nothing_from_being_done) {
  constexpr int tasks = 8, rounds = 300;
  for (int i = 0; i < tasks; ++i) meter::gauges.ready.rise();
  std::atomic<bool> over{false};
  std::thread hurries([&] {
    while (!over) {
      sys::Idle idle;
      driver_->hurry();
      std::this_thread::sleep_for(std::chrono::microseconds(700));
    }
  });
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      int ends[2];
      ASSERT_EQ(pipe(ends), 0);
      for (int i = 0; i < rounds; ++i) {
        Tracked timer(op::timeout(1000)), wait(op::poll(ends[0], POLLIN));
        timer.binds_permit = t == 0;
        ASSERT_TRUE(driver_->submit(wait));
        ASSERT_TRUE(driver_->submit(timer));
        char byte = 'x';
        if (t == 1) {
          driver_->cancel(wait);
        } else {
          EXPECT_EQ(write(ends[1], &byte, 1), 1);
        }
        if (timer.wait() && wait.wait()) ++ended;
        if (t != 1) {
          EXPECT_EQ(read(ends[0], &byte, 1), 1);
        }
      }
      close(ends[0]);
      close(ends[1]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  over = true;
  hurries.join();
  for (int i = 0; i < tasks; ++i) meter::gauges.ready.fall();
  EXPECT_EQ(ended, 3 * rounds);
}

// Where the device has plenty to do, what comes waits for more; but not for what is under way to end.
TEST_P(DriverTest, what_waits_for_more_is_done_while_others_are_under_way) {
  constexpr int plenty = 40, rounds = 100;
  std::vector<std::unique_ptr<Tracked>> others;
  for (int i = 0; i < plenty; ++i) {
    others.push_back(std::make_unique<Tracked>(op::timeout(100 * base::ns_per_s)));
    others.back()->binds_permit = true;
    ASSERT_TRUE(driver_->submit(*others.back()));
  }
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        Tracked request(op::timeout(1000));
        request.binds_permit = true;
        ASSERT_TRUE(driver_->submit(request));
        if (t == 0) driver_->hurry();
        if (request.wait()) ++ended;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 3 * rounds);
  for (auto& other : others) {
    EXPECT_FALSE(other->over.load());
    driver_->cancel(*other);
    ASSERT_TRUE(other->wait());
  }
}

TEST_P(DriverTest, a_forked_child_has_no_idle_threads) {
  sys::Idle idle;  // of a thread that the child has not
  pid_t child = fork();
  if (!child) {
    driver_->after_fork();
    _exit(sys::idle_threads(sys::idle_state.load()) == 0 ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(whatever_the_kernel_offers, DriverTest,
                         ::testing::Values("", "op_futex", "defer_taskrun", "single_issuer,defer_taskrun",
                                           "registered_ring,op_futex,defer_taskrun,single_issuer"));

TEST(DriverStartTest, says_why_there_is_no_ring) {
  static Driver driver;
  EXPECT_EQ(driver.start(sys::probe("io_uring")), -EPERM);
  Tracked request(op::timeout(1));
  EXPECT_FALSE(driver.submit(request));
}

}  // namespace
}  // namespace weir::ring
