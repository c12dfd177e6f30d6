// SPDX-License-Identifier: Apache-2.0
#include "control/math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::control {
namespace {

TEST(Math, AgreesWithLibm) {
  for (double x = 1e-12; x < 1e15; x *= 1.37) {
    EXPECT_NEAR(natural_log(x), std::log(x), 1e-11) << x;
    EXPECT_NEAR(square_root(x), std::sqrt(x), 1e-12 * std::sqrt(x)) << x;
  }
  for (double x = -40; x < 40; x += 0.173) EXPECT_NEAR(exponential(x) / std::exp(x), 1, 1e-12) << x;
  EXPECT_EQ(natural_log(1), 0);
  EXPECT_EQ(square_root(-1), 0);
}

}  // namespace
}  // namespace weir::control
