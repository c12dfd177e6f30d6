// SPDX-License-Identifier: Apache-2.0
#include "gate/others.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace weir::gate {
namespace {

TEST(OthersTest, have_a_core_for_a_while_after_they_had_one) {
  EXPECT_FALSE(others_have_a_core_lately());
  others_had_a_core(base::now_ns());
  EXPECT_TRUE(others_have_a_core_lately());
  EXPECT_TRUE(others_have_a_core_lately());
  others_had_a_core(base::now_ns() - base::ns_per_s);
  EXPECT_FALSE(others_have_a_core_lately());
}

}  // namespace
}  // namespace weir::gate
