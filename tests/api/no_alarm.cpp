// SPDX-License-Identifier: Apache-2.0
// A wait with a limit keeps it, also where there is no memory, and no thread, for a timer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "weir/future.hpp"

// In the library's place.
extern "C" int weir_start_alarm(weir_operation**, int64_t, void (*)(void*), void*) { return -ENOMEM; }

namespace {

using namespace std::chrono_literals;

TEST(NoAlarmTest, a_wait_with_a_limit_ends_all_the_same) {
  alarm(60);
  weir::promise<int> promise;
  weir::shared_future<int> later = promise.get_future().share();
  EXPECT_EQ(later.wait_for(30ms), weir::future_status::timeout);
  EXPECT_EQ(weir::async([later] { return later.wait_for(30ms); }).get(), weir::future_status::timeout);
  auto ready = weir::async([later] { return later.wait_for(50s); });
  usleep(20'000);
  promise.set_value(1);
  EXPECT_EQ(ready.get(), weir::future_status::ready);
}

}  // namespace
