// SPDX-License-Identifier: Apache-2.0
#include "wait/exception_state.h"

#include <gtest/gtest.h>

#include <exception>

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

TEST(ExceptionState, IsEmptyWhereNothingIsCaught) {
  ExceptionState state;
  state.take();
  EXPECT_TRUE(state.empty());
  state.put_back();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

}  // namespace
}  // namespace weir::wait
