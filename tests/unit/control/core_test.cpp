// SPDX-License-Identifier: Apache-2.0
#include "control/core.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "control/controller.h"

namespace weir::control {
namespace {

// A device without noise whose actuator acts at once.
struct Device {
  std::function<double(int)> rate;  // operations a second
  double t_s = 0;
  int k = 1;
  template <typename Controlled>
  void run(Controlled& controlled, double seconds) {
    for (double end = t_s + seconds; t_s < end; t_s += 0.05) {
      Sample s;
      s.dt_s = 0.05;
      s.ops = rate(k) * 0.05;
      s.bytes = s.ops * 4096;
      s.busy = s.blocked = s.level = k;
      k = controlled.step(s);
    }
  }
};

TEST(Core, FindsAKnee) {
  for (int knee : {1, 2, 5, 13, 40, 100}) {
    Core core({16, 128});
    Device device{.rate = [=](int k) { return 500.0 * std::min(k, knee); }};
    device.run(core, 40);
    device.run(core, 0.05);
    EXPECT_GE(core.limit(), 0.9 * knee) << knee;
  }
}

TEST(Core, GoesBackWhereMoreIsLess) {
  Core core({16, 128});
  Device device{.rate = [](int k) { return k <= 3 ? 100.0 * k : 300 / (1 + 0.2 * (k - 3)); }};
  device.run(core, 60);
  EXPECT_GE(core.limit(), 2);
  EXPECT_LE(core.limit(), 4);
}

TEST(Core, HoldsWhatItFound) {
  Core core({16, 128});
  Device device{.rate = [](int k) { return 500.0 * std::min(k, 20); }};
  device.run(core, 60);
  while (core.state() == State::hold) device.run(core, 0.05);
  while (core.state() != State::hold) device.run(core, 0.05);
  int held = core.limit();
  for (int i = 0; i < 140; ++i) {  // seven seconds; the shortest hold has eight
    device.run(core, 0.05);
    ASSERT_EQ(core.state(), State::hold);
    ASSERT_EQ(core.limit(), held);
    ASSERT_EQ(core.patience_s(), 0.5);  // it need not be asked often
  }
}

TEST(Core, NothingDoneIsNoReasonToMoveOrShrink) {
  Core core({16, 128});
  Device device{.rate = [](int k) { return 500.0 * std::min(k, 20); }};
  device.run(core, 60);
  while (core.state() != State::hold) device.run(core, 0.05);
  int before = core.limit();
  device.rate = [](int) { return 0.0; };
  device.run(core, 20);
  device.rate = [](int k) { return 500.0 * std::min(k, 20); };
  device.run(core, 10);
  EXPECT_GE(core.limit(), before / 2);
  EXPECT_LE(core.limit(), before * 2);
}

TEST(Core, ADeviceThatNeverAnswersKeepsTheLimitWithinBounds) {
  Core core({16, 128});
  Device device{.rate = [](int) { return 0.0; }};
  for (int i = 0; i < 60; ++i) {
    device.run(core, 1);
    EXPECT_GE(core.limit(), 1);
    EXPECT_LE(core.limit(), 128);
  }
}

TEST(Core, FewCallersSayNothing) {
  Core core({16, 128});
  int first = core.limit();
  for (int i = 0; i < 1200; ++i) {
    Sample s{.dt_s = 0.05, .ops = 3, .bytes = 3e4, .busy = 0.5, .blocked = 0.5, .level = double(core.limit())};
    core.step(s);
  }
  EXPECT_EQ(core.limit(), first);
  EXPECT_EQ(core.patience_s(), 0.5);  // it need not be asked often
}

TEST(Core, SurvivesNonsense) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {0, -1, 1e-12, 0.05, 1, 1e6, 1e18, 1e300, inf, -inf, nan};
  Controller controller(Algorithm::weir, {2, 8});
  unsigned state = 1;
  auto any = [&] { return values[(state = state * 1103515245 + 12345) / 65536 % std::size(values)]; };
  for (int i = 0; i < 200000; ++i) {
    Sample s{any(), any(), any(), any(), any(), any(), any(), state % 50};
    if (i % 3) s.dt_s = 0.05;
    int limit = controller.step(s).limit;
    ASSERT_GE(limit, 1);
    ASSERT_LE(limit, 8);
  }
}

TEST(Core, BoundsOfOneLeaveNoChoice) {
  Core core({1, 1});
  Device device{.rate = [](int) { return 1000.0; }};
  for (int i = 0; i < 100; ++i) {
    device.run(core, 1);
    ASSERT_EQ(core.limit(), 1);
  }
}

TEST(Controller, EachRegionKeepsWhatItFound) {
  Controller controller(Algorithm::weir, {16, 128});
  double knee = 0;
  int limit = 5, found[3] = {};
  for (int turn = 0; turn < 40; ++turn) {
    std::uint64_t region = 1 + turn % 2;
    knee = region == 1 ? 6 : 60;
    for (int i = 0; i < 60; ++i) {
      double rate = 300.0 * std::min<double>(limit, knee) * 0.05;
      Sample s{.dt_s = 0.05, .ops = rate, .bytes = rate * 4096, .busy = double(limit), .blocked = double(limit),
               .cpu = 0, .level = double(limit), .region = region};
      limit = controller.step(s).limit;
    }
    found[region] = limit;
  }
  EXPECT_GE(found[1], 5);
  EXPECT_LE(found[1], 24);
  EXPECT_GE(found[2], 40);
}

TEST(Controller, MoreRegionsThanItKnowsAreServedAll) {
  Controller controller(Algorithm::weir, {4, 64});
  for (int i = 0; i < 5000; ++i) {
    Sample s{.dt_s = 0.05, .ops = 100, .bytes = 1e5, .busy = 2, .blocked = 2, .cpu = 0, .level = 2,
             .region = static_cast<std::uint64_t>(i * 7919)};
    int limit = controller.step(s).limit;
    ASSERT_GE(limit, 1);
    ASSERT_LE(limit, 64);
  }
}

TEST(Controller, TheSameSamplesGiveTheSameDecisions) {
  for (Algorithm algorithm : {Algorithm::weir, Algorithm::iopa}) {
    Controller one(algorithm, {16, 128}), other(algorithm, {16, 128});
    unsigned state = 7;
    int limit = 5;
    for (int i = 0; i < 20000; ++i) {
      state = state * 1103515245 + 12345;
      double rate = std::min(limit, 30) * (20 + state / 65536 % 7);
      Sample s{.dt_s = 0.05, .ops = rate, .bytes = rate * 512, .busy = double(limit), .blocked = double(limit),
               .cpu = 0.3, .level = double(limit), .region = i / 3000u};
      Decision a = one.step(s), b = other.step(as_logged(s));
      ASSERT_EQ(a.limit, b.limit);
      ASSERT_EQ(a.reason, b.reason);
      limit = a.limit;
    }
  }
}

TEST(Iopa, GrowsAsPublished) {
  Iopa iopa({24, 128});
  EXPECT_EQ(iopa.limit(), 8);  // 30 % of the cores
  Device device{.rate = [](int k) { return 100.0 * k; }, .k = 8};
  device.run(iopa, 5.1);
  EXPECT_EQ(iopa.limit(), 16);
  device.run(iopa, 5);
  EXPECT_EQ(iopa.limit(), 21);  // 90 %
  EXPECT_EQ(iopa.state(), State::fast);
  device.run(iopa, 5);
  EXPECT_EQ(iopa.state(), State::normal);
  device.run(iopa, 10);
  EXPECT_EQ(iopa.limit(), 22);
}

TEST(Iopa, ADropTakesOneThreadAwayAndHolds) {
  Iopa iopa({10, 64}, {.init_threads = 4, .fast_threads = 4});
  Device device{.rate = [](int) { return 1000.0; }, .k = 4};
  device.run(iopa, 20.1);
  EXPECT_EQ(iopa.state(), State::normal);
  device.rate = [](int) { return 500.0; };
  device.run(iopa, 10);
  EXPECT_EQ(iopa.state(), State::hold);
  EXPECT_EQ(iopa.limit(), 3);
}

}  // namespace
}  // namespace weir::control
