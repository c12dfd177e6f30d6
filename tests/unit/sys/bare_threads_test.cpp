// SPDX-License-Identifier: Apache-2.0
#include "sys/bare_threads.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "sys/threads.h"

namespace weir::sys {
namespace {

int threads_now() {
  int count = 0;
  each_thread([](void* sum, std::int32_t) { ++*static_cast<int*>(sum); return true; }, &count);
  return count;
}

TEST(BareThreadsTest, are_counted_by_starting_them) {
  EXPECT_EQ(threads_to_be_had(20, 0), 20);
  EXPECT_EQ(threads_to_be_had(0, 0), 0);
  EXPECT_EQ(threads_to_be_had(2, std::int64_t{1} << 47), 0);  // no address space has room for such a stack
}

TEST(BareThreadsTest, are_gone_afterwards_and_the_signal_mask_is_as_it_was) {
  int before = threads_now();
  sigset_t one, now;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &one, nullptr), 0);
  EXPECT_EQ(threads_to_be_had(200, 1 << 20), 200);
  EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &now), 0);
  EXPECT_TRUE(sigismember(&now, SIGUSR1));
  EXPECT_FALSE(sigismember(&now, SIGUSR2));
  sigemptyset(&one);
  pthread_sigmask(SIG_SETMASK, &one, nullptr);
  // The kernel says that a thread is over shortly before it takes it from the list.
  for (int ms = 0; ms < 10000 && threads_now() != before; ++ms) usleep(1000);
  EXPECT_EQ(threads_now(), before);
}

TEST(BareThreadsTest, several_callers_do_not_mind_each_other) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([] {
      for (int k = 0; k < 10; ++k) EXPECT_EQ(threads_to_be_had(50, 0), 50);
    });
  for (std::thread& caller : callers) caller.join();
}

// Root has no limit of its own.
TEST(BareThreadsTest, a_limit_shows) {
  pid_t child = fork();
  if (!child) {
    rlimit few{1, 1};
    bool limited = !setrlimit(RLIMIT_NPROC, &few) && !setuid(65534);
    _exit(limited ? static_cast<int>(threads_to_be_had(20, 0)) : 99);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 99) GTEST_SKIP() << "not root";
  EXPECT_LT(WEXITSTATUS(status), 20);
}

}  // namespace
}  // namespace weir::sys
