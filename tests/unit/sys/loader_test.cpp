// SPDX-License-Identifier: Apache-2.0
#include "sys/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace weir::sys {
namespace {

std::atomic<bool> inside{false}, left{false};

TEST(LoaderTest, who_forks_waits_until_nobody_looks) {
  std::thread looks([] {
    each_object([](dl_phdr_info*, std::size_t, void*) {
      inside = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      left = true;
      return 1;
    }, nullptr);
  });
  while (!inside) std::this_thread::yield();
  before_fork();
  EXPECT_TRUE(left);
  after_fork_in_parent();
  looks.join();
}

}  // namespace
}  // namespace weir::sys
