// SPDX-License-Identifier: Apache-2.0
#include "errand/errand.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "sys/thread_limits.h"
#include "tests/unit/sys/apart.h"

namespace weir::errand {
namespace {

constexpr std::size_t most_threads = 128, most_in_doubt = 8;
constexpr int enough_refused = 8;

struct Waited : Errand {
  std::atomic<std::uint32_t> over{0};
  std::atomic<std::uint32_t>* gate = nullptr;  // it waits until this is not 0
  std::int32_t thread = 0;

  explicit Waited(std::atomic<std::uint32_t>* until = nullptr) : gate(until) {
    make = [](Errand& self) -> Result {
      auto& mine = static_cast<Waited&>(self);
      while (mine.gate && !mine.gate->load()) sys::futex_wait(*mine.gate, 0);
      mine.thread = sys::thread_id();
      return 17;
    };
    done = [](Errand& self) {
      auto& mine = static_cast<Waited&>(self);
      mine.over.store(1, std::memory_order_release);
      sys::futex_wake(mine.over);
    };
  }
  bool wait() {
    std::int64_t end = base::now_ns() + 20 * base::ns_per_s;
    while (!over.load(std::memory_order_acquire) && base::now_ns() < end) sys::futex_wait(over, 0, base::ns_per_s);
    return over.load(std::memory_order_acquire);
  }
};

class ErrandTest : public ::testing::Test {
 protected:
  // Each begins as a forked child does: with no threads of ours (those of the tests before are left with nothing to do).
  void SetUp() override { after_fork(); }
};

TEST_F(ErrandTest, another_thread_makes_the_call) {
  Waited errand;
  ASSERT_TRUE(send(errand));
  ASSERT_TRUE(errand.wait());
  EXPECT_TRUE(errand.made);
  EXPECT_EQ(errand.result, 17);
  EXPECT_NE(errand.thread, sys::thread_id());
}

// (One that has just told of its errand may be a moment from waiting for the next.)
TEST_F(ErrandTest, one_after_the_other_goes_to_the_same_thread) {
  constexpr int tries = 20;
  bool same = false;
  for (int i = 0; i < tries && !same; ++i) {
    Waited first, second;
    ASSERT_TRUE(send(first));
    ASSERT_TRUE(first.wait());
    sys::sleep_ns(base::ns_per_ms);
    ASSERT_TRUE(send(second));
    ASSERT_TRUE(second.wait());
    same = first.thread == second.thread;
  }
  EXPECT_TRUE(same);
}

TEST_F(ErrandTest, none_waits_for_another_and_there_are_only_so_many) {
  std::atomic<std::uint32_t> gate{0};
  std::vector<std::unique_ptr<Waited>> errands;
  while (is_free()) {
    errands.push_back(std::make_unique<Waited>(&gate));
    ASSERT_TRUE(send(*errands.back()));
  }
  EXPECT_EQ(errands.size(), sys::threads_are_within_limits(2 * most_threads) ? most_threads : most_in_doubt);
  Waited one_more;
  EXPECT_FALSE(send(one_more));
  gate.store(1);
  sys::futex_wake(gate, 1 << 30);
  for (auto& errand : errands) ASSERT_TRUE(errand->wait());
  EXPECT_TRUE(is_free());
  EXPECT_TRUE(send(one_more));
  ASSERT_TRUE(one_more.wait());
}

TEST_F(ErrandTest, many_threads_send_at_once) {
  std::atomic<int> made{0}, not_sent{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Waited errand;
        if (!send(errand)) ++not_sent;
        else if (errand.wait() && errand.made) ++made;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 8 * 500);
  EXPECT_EQ(not_sent, 0);
}

TEST_F(ErrandTest, none_is_made_for_a_sender_who_is_not_like_its_thread_and_in_the_end_none_is_sent) {
  if (!sys::threads_may_part()) GTEST_SKIP() << "not allowed here";
  Waited like_us;
  ASSERT_TRUE(send(like_us));
  ASSERT_TRUE(like_us.wait());
  std::thread([] {
    ASSERT_EQ(unshare(CLONE_FS), 0);
    for (int i = 0; i < enough_refused; ++i) {
      Waited errand;
      ASSERT_TRUE(send(errand)) << i;
      ASSERT_TRUE(errand.wait());
      EXPECT_FALSE(errand.made);
      EXPECT_EQ(errand.thread, 0);
    }
  }).join();
  EXPECT_FALSE(is_free());
}

TEST_F(ErrandTest, a_forked_child_has_threads_of_its_own) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "TSan ends a forked child that starts a thread";
#endif
  Waited before;
  ASSERT_TRUE(send(before));
  ASSERT_TRUE(before.wait());
  pid_t child = fork();
  if (!child) {
    after_fork();
    Waited errand;
    _exit(send(errand) && errand.wait() && errand.made ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weir::errand
