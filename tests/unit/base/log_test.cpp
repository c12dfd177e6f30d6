// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::base {
namespace {

TEST(Line, IsPutTogetherInPieces) {
  Line line;
  line.add("%s=%d", "calls", 7).add(" %.2f s", 1.5).add(" %llu", 18446744073709551615ull);
  EXPECT_STREQ(line.text(), "calls=7 1.50 s 18446744073709551615");
  EXPECT_EQ(line.length(), std::string(line.text()).size());
}

TEST(Line, IsCutAtItsCapacity) {
  Line line;
  const std::string piece(700, 'x');
  for (int i = 0; i < 4; ++i) line.add("%s", piece.c_str());
  EXPECT_EQ(line.length(), std::string(line.text()).size());
  EXPECT_LT(line.length(), 2000u);
  EXPECT_GT(line.length(), 700u);
}

}  // namespace
}  // namespace weir::base
