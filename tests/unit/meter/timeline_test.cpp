// SPDX-License-Identifier: Apache-2.0
#include "meter/timeline.h"

#include <gtest/gtest.h>

#include <memory>

namespace weir::meter {
namespace {

TEST(Timeline, LongRunsAreThinnedNotCut) {
  auto timeline = std::make_unique<Timeline>();
  double bytes = 0;
  for (int i = 1; i <= 100'000; ++i) {
    Timeline::Point p;
    p.t_s = i * 0.05;
    p.dt_s = 0.05;
    p.bytes_per_s = i % 7;
    bytes += p.bytes_per_s * p.dt_s;
    timeline->add(p);
  }
  ASSERT_LE(timeline->count(), Timeline::most);
  EXPECT_GT(timeline->count(), Timeline::most / 4);
  double kept = 0, seconds = 0, last = 0;
  for (int i = 0; i < timeline->count(); ++i) {
    const Timeline::Point& p = (*timeline)[i];
    EXPECT_GT(p.t_s, last);
    last = p.t_s;
    seconds += p.dt_s;
    kept += p.bytes_per_s * p.dt_s;
  }
  EXPECT_NEAR(seconds, 5'000, 1e-6);
  EXPECT_NEAR(last, 5'000, 1e-6);
  EXPECT_NEAR(kept, bytes, 1e-3);
}

TEST(Timeline, MergedFiguresAreMeansOverTime) {
  Timeline::Point first, second;
  first.dt_s = 1;
  first.in_flight = 4;
  second.dt_s = 3;
  second.in_flight = 8;
  EXPECT_DOUBLE_EQ(merged(first, second).in_flight, 7);
  EXPECT_DOUBLE_EQ(merged(first, second).dt_s, 4);
}

}  // namespace
}  // namespace weir::meter
