// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <string>

namespace weir::base {
namespace {

TEST(Line, IsPutTogetherInPieces) {
  Line line;
  line.add("%s=%d", "calls", 7).add(" %.2f s", 1.5).add(" %llu", 18446744073709551615ull);
  EXPECT_STREQ(line.text(), "calls=7 1.50 s 18446744073709551615");
  EXPECT_EQ(line.length(), std::string(line.text()).size());
}

TEST(Line, WritesNumbersAsPrintfDoes) {
  auto written = [](const char* format, auto... values) {
    char wanted[256];
    std::snprintf(wanted, sizeof wanted, format, values...);
    Line line;
    line.add(format, values...);
    EXPECT_STREQ(line.text(), wanted);
  };
  for (int value : {0, 7, -7, INT_MAX, INT_MIN}) written("%d", value);
  for (long long value : {0LL, -1LL, LLONG_MAX, LLONG_MIN}) written("<%lld %llu %llx>", value, value, value);
  for (unsigned value : {0u, 31u, 0xffffu, 0x12345u, UINT_MAX}) written("\\u%04x %u", value, value);
  for (double value : {0.0, 1.0, 0.05, 0.999, 1.0006, 99.9996, 123456.789, -2.75, 8e15, 1e12 / 3})
    written("%.0f %.1f %.2f %.3f", value, value, value, value);
  written("%.6f %ld %zu%%", 1e-6, -5L, std::size_t{9});
  written("%.*s|%s|", 3, "abcdef", "");
  Line large;
  large.add("%.3f %.0f", 1e17, std::nan(""));
  EXPECT_STREQ(large.text(), "100000000000000000 0");
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
