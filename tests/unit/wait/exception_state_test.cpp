// SPDX-License-Identifier: Apache-2.0
#include "wait/exception_state.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace weir::wait {
namespace {

TEST(ExceptionState, TakesACaughtExceptionAwayAndBringsItBack) {
  try {
    throw 1;
  } catch (int) {
    ExceptionState state;
    state.take();
    EXPECT_FALSE(state.empty());
    EXPECT_EQ(std::current_exception(), nullptr);
    try {
      throw 2;
    } catch (int other) {
      EXPECT_EQ(other, 2);
    }
    state.put_back();
    EXPECT_NE(std::current_exception(), nullptr);
    try {
      throw;
    } catch (int own) {
      EXPECT_EQ(own, 1);
    }
  }
}

// Its look at the state, in a destructor that runs while an exception is on its way.
class OnTheWay {
 public:
  OnTheWay(std::atomic<int>& coming, std::atomic<bool>& left_behind) : coming_(coming), left_behind_(left_behind) {}
  ~OnTheWay() {
    --coming_;
    while (coming_ > 0) {}
    ExceptionState state;
    state.take();
    if (std::uncaught_exceptions()) left_behind_ = true;
    state.put_back();
  }

 private:
  std::atomic<int>& coming_;
  std::atomic<bool>& left_behind_;
};

// Where the run time keeps the state is asked once a process, of the loader; which is busy here.
TEST(ExceptionState, IsFoundByAllThreadsThatAreTheFirstToAsk) {
  std::atomic<int> coming{2};
  std::atomic<bool> left_behind{false};
  auto look = [&] {
    try {
      OnTheWay now(coming, left_behind);
      throw 1;
    } catch (int) {}
  };
  std::thread loading([] { EXPECT_NE(dlopen(SLOW_TO_LOAD, RTLD_NOW), nullptr); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  std::thread one(look), other(look);
  for (std::thread* thread : {&loading, &one, &other}) thread->join();
  EXPECT_FALSE(left_behind);
}

TEST(ExceptionState, IsEmptyWhereNothingIsCaught) {
  ExceptionState state;
  state.take();
  EXPECT_TRUE(state.empty());
  state.put_back();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

}  // namespace
}  // namespace weir::wait
