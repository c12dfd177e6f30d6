// SPDX-License-Identifier: Apache-2.0
#include "control/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "control/chain.h"
#include "control/watch.h"

namespace weir::control {
namespace {

Verdict ask(Compare& compare, const std::function<Sample(int k, double t_s)>& device, double most_s = 60) {
  Verdict verdict = Verdict::open;
  for (double t = 0; verdict == Verdict::open && t < most_s; t += 0.05) {
    Sample s = device(compare.k(), t);
    s.dt_s = 0.05;
    s.level = compare.k();
    verdict = compare.step(s);
  }
  return verdict;
}

Sample full(int k, double rate) {
  return {.dt_s = 0.05, .ops = rate * 0.05, .bytes = rate * 0.05 * 4096, .busy = double(k), .blocked = double(k)};
}

TEST(Compare, TellsMoreFromLess) {
  Compare compare;
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  EXPECT_EQ(ask(compare, [](int k, double) { return full(k, 1000.0 * k); }), Verdict::up);
  EXPECT_NEAR(compare.gain(), std::log(2), 0.01);
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  EXPECT_EQ(ask(compare, [](int k, double) { return full(k, 1000.0 / k); }), Verdict::down);
}

TEST(Compare, ADriftIsNoDifference) {
  Compare compare;
  compare.begin(8, 10, 0.011, thorough, 0.05, 100000);
  auto drifts = [](int k, double t) { return full(k, 100000 * std::exp(-0.05 * t)); };
  Verdict verdict = ask(compare, drifts);
  EXPECT_NE(verdict, Verdict::up);
  EXPECT_NEAR(compare.gain(), 0, 0.01);
}

TEST(Compare, CallersTooFewIsNoInformation) {
  Compare compare;
  compare.begin(20, 25, 0.011, thorough, 0.05, 1000);
  auto few = [](int, double) { return full(4, 500); };
  EXPECT_EQ(ask(compare, few), Verdict::no_info);
}

TEST(Compare, QuickOnesWaitForCallers) {
  Compare compare;
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  auto later = [](int k, double t) { return t < 30 ? full(1, 20) : full(k, 1000.0 * k); };
  EXPECT_EQ(ask(compare, later), Verdict::up);
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  EXPECT_EQ(ask(compare, [](int, double) { return full(1, 20); }), Verdict::open);
  EXPECT_TRUE(compare.idle());
}

TEST(Compare, ADeviceAwayForAMomentIsLeftOut) {
  Compare compare;
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  auto away = [](int k, double t) { return full(k, t > 0.4 && t < 0.9 ? 0 : 1000.0 * std::min(k, 8)); };
  EXPECT_NE(ask(compare, away), Verdict::up);
  EXPECT_NEAR(compare.gain(), 0, 0.02);
}

TEST(Compare, JudgesByBytesWhereTheyAreSteadier) {
  Compare compare;
  compare.begin(8, 16, 0.035, quick, 0.05, 1000);
  unsigned state = 3;
  auto mixed = [&](int k, double) {
    Sample s = full(k, 1000);
    state = state * 1103515245 + 12345;
    double size = state / 65536 % 2 ? 512 : 65536;  // sizes vary 128-fold, bytes a second grow by half
    s.bytes = 5e6 * (k == 16 ? 1.5 : 1);
    s.ops = s.bytes / size;
    return s;
  };
  EXPECT_EQ(ask(compare, mixed), Verdict::up);
  EXPECT_NEAR(compare.gain(), std::log(1.5), 0.1);
}

TEST(Chain, TakesTheSmallestThatIsGoodEnough) {
  Chain chain;
  chain.begin(5);
  chain.add(5, 10, 0.69);
  chain.add(10, 20, 0.30);
  chain.add(20, 40, 0.001);
  EXPECT_EQ(chain.best(), 40);
  EXPECT_GE(chain.choose(0.02), 18);
  EXPECT_LE(chain.choose(0.02), 20);
  chain.begin(8);
  chain.add(8, 4, 0.0);
  EXPECT_EQ(chain.choose(0.02), 4);
}

TEST(Watch, SaysWhenThroughputFellAndOnlyThen) {
  Watch watch;
  watch.begin(8, 0.05);
  int alarms = 0;
  double t = 0;
  auto hold = [&](double rate, double seconds, Watch::News wanted) {
    bool seen = false;
    for (double end = t + seconds; t < end; t += 0.05) {
      Sample s = full(8, rate);
      s.level = 8;
      Watch::News news = watch.add(s);
      seen = seen || news == wanted;
      alarms += news == Watch::News::fell || news == Watch::News::rose;
    }
    return seen;
  };
  EXPECT_TRUE(hold(1000, 10, Watch::News::baseline));
  hold(1000, 60, Watch::News::fell);
  EXPECT_EQ(alarms, 0);
  EXPECT_TRUE(hold(600, 5, Watch::News::fell));
  watch.begin(8, 0.05);
  hold(1000, 10, Watch::News::baseline);
  EXPECT_TRUE(hold(1500, 5, Watch::News::rose));
}

TEST(Watch, WindowsWithoutDemandAreLeftOut) {
  Watch watch;
  watch.begin(8, 0.05);
  for (double t = 0; t < 60; t += 0.05) {
    Sample s = full(t < 20 ? 8 : 1, t < 20 ? 1000 : 50);
    s.level = 8;
    Watch::News news = watch.add(s);
    EXPECT_NE(news, Watch::News::fell);
  }
  EXPECT_GT(watch.idle_s(), 30);
}

}  // namespace
}  // namespace weir::control
