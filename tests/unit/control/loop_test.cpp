// SPDX-License-Identifier: Apache-2.0
#include "control/loop.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "control/history.h"
#include "meter/regions.h"

namespace weir::control {
namespace {

// A device and its callers, seen as the meters show them.
struct House {
  Loop loop{Algorithm::weir, {2, 128, 16}};
  Reading reading{.now_ns = 1'000'000'000};
  int callers = 100, knee = 40, turns = 0;
  double each = 500;       // operations a second of one permit
  double cpu = 0.1;        // cores kept busy
  double waits_s = 0.002;  // of a call
  std::int64_t bytes = 4096;
  Loop::Turn turn;

  void run(double seconds) {
    for (std::int64_t end = reading.now_ns + static_cast<std::int64_t>(seconds * 1e9); reading.now_ns < end;) {
      turn = loop.turn(reading);
      ++turns;
      std::int64_t sleep_ns = turn.sleep_ns;
      if (sleep_ns < 0) return;
      int at_work = std::min(callers, turn.limit);
      double ops = each * std::min(at_work, knee) * static_cast<double>(sleep_ns) / 1e9;
      reading.now_ns += sleep_ns;
      reading.storage_ops += static_cast<std::int64_t>(ops);
      reading.storage_bytes += static_cast<std::int64_t>(ops) * bytes;
      reading.blocked_ns += static_cast<std::int64_t>(ops * waits_s * 1e9);
      reading.cpu_ns += static_cast<std::int64_t>(cpu * static_cast<double>(sleep_ns));
      reading.held = at_work;
      reading.waiting = callers - at_work;
    }
  }
};

TEST(Loop, FindsWhatTheDeviceBears) {
  House house;
  house.run(30);
  EXPECT_GE(house.turn.limit, 32);
  EXPECT_LE(house.turn.limit, 128);
}

TEST(Loop, WakesSeldomWhileItHolds) {
  House house;
  house.run(30);
  house.turns = 0;
  house.run(120);
  EXPECT_LT(house.turns, 120 * 10);  // probing is 20 a second, hold 2
}

TEST(Loop, FallsAsleepWhenNothingHappensAndGoesOnWhenCalled) {
  House house;
  house.run(20);
  int limit = house.turn.limit;
  house.callers = 0;
  house.run(5);
  EXPECT_LT(house.turn.sleep_ns, 0);
  house.callers = 100;
  house.run(2);
  EXPECT_GT(house.turn.sleep_ns, 0);
  EXPECT_GE(house.turn.limit, limit / 2);
}

TEST(Loop, PassesThroughWhereNextToNothingWaits) {
  House house;
  house.waits_s = 1e-7;
  house.cpu = 2;
  house.run(5);
  EXPECT_EQ(house.turn.limit, 128);
  EXPECT_FALSE(house.turn.decided);
  house.waits_s = 0.002;
  house.run(10);
  EXPECT_TRUE(house.turn.decided);
}

TEST(Loop, EachRegionHasItsOwnLimit) {
  House house;
  for (int i = 0; i < 20; ++i) {
    house.reading.region = 1 + i % 2;
    house.knee = i % 2 ? 90 : 4;
    house.each = i % 2 ? 50 : 500;
    house.run(5);
  }
  int of_second = house.turn.limit;
  house.reading.region = 1;
  house.knee = 4;
  house.each = 500;
  house.run(2);
  EXPECT_LT(house.turn.limit, of_second);
}

TEST(Loop, BeginsWithFewerWhereReadsAreLong) {
  Bounds bounds{2, 128, 128, 8 << 10};
  EXPECT_EQ(start_for(bounds, 100, 100 * 4096), 128);
  EXPECT_EQ(start_for(bounds, 100, 100 * (64 << 10)), 128);
  EXPECT_EQ(start_for(bounds, 100, 100 * (128 << 10)), 64);
  EXPECT_EQ(start_for(bounds, 100, 100 * (1 << 20)), 32);
  EXPECT_EQ(start_for(bounds, 100, 100.0 * (1 << 30)), 32);  // such a one comes in parts
  EXPECT_EQ(start_for(bounds, 0, 0), 128);
  EXPECT_EQ(start_for({2, 128, 16, 8 << 10}, 100, 100 << 20), 16);
  EXPECT_EQ(start_for({2, 128, 128}, 100, 100 << 20), 128);

  EXPECT_EQ(least_start(bounds), 32);
}

TEST(Loop, LooksFirstHowLongReadsAre) {
  auto after = [](double seconds, std::int64_t ops, std::int64_t bytes) {
    Loop loop{Algorithm::weir, {2, 128, 128, 8 << 10}};
    Reading reading{.now_ns = 1'000'000'000};
    EXPECT_EQ(loop.at_first(reading).limit, 32);
    reading.now_ns += static_cast<std::int64_t>(seconds * 1e9);
    reading.storage_ops += ops;
    reading.storage_bytes += ops * bytes;
    int limit = loop.at_first(reading).limit;
    EXPECT_EQ(loop.turn(reading).limit, limit);
    return limit;
  };
  EXPECT_EQ(after(0.001, 15, 4096), 32);  // too few to say
  EXPECT_EQ(after(0.001, 16, 4096), 128);
  EXPECT_EQ(after(0.001, 16, 1 << 20), 32);
  EXPECT_EQ(after(0.001, 100, 100 << 10), 81);
  EXPECT_EQ(after(0.05, 0, 0), 128);  // all wait for long
}

TEST(Controller, EachRegionBeginsByWhatItMoves) {
  Controller controller{Algorithm::weir, {2, 256, 128, 8 << 10}};
  Sample sample{.dt_s = 0.05, .ops = 100, .bytes = 100 << 20, .busy = 200, .blocked = 128, .level = 128, .region = 1};
  EXPECT_EQ(controller.step(sample).limit, 32);
  sample.bytes = 100 << 10;
  sample.region = 2;
  sample.level = 32;
  EXPECT_EQ(controller.step(sample).limit, 128);
}

TEST(Loop, ClocksThatStandOrJumpChangeNothing) {
  House house;
  house.run(20);
  int limit = house.turn.limit;
  for (std::int64_t jump : {0ll, -5'000'000'000ll, 3'600'000'000'000ll}) {
    house.reading.now_ns += jump;
    Loop::Turn turn = house.loop.turn(house.reading);
    EXPECT_GE(turn.limit, 1);
    EXPECT_LE(turn.limit, 128);
    EXPECT_NE(turn.sleep_ns, 0);
  }
  house.run(2);
  EXPECT_GE(house.turn.limit, limit / 2);
}

TEST(History, KeepsTheWholeRunInBoundedSpace) {
  History history;
  for (int i = 0; i < 20000; ++i) history.add(i * 0.05, {.dt_s = 0.05, .ops = 5, .bytes = 500}, 7, State::hold);
  ASSERT_GT(history.count(), History::most / 4);
  ASSERT_LE(history.count(), History::most);
  for (int i = 0; i < history.count(); ++i) {
    EXPECT_NEAR(history[i].ops_per_s, 100, 1e-6);
    EXPECT_NEAR(history[i].bytes_per_s, 1e4, 1e-3);
    if (i) {
      EXPECT_GT(history[i].t_s, history[i - 1].t_s);
    }
  }
  EXPECT_LT(history[0].t_s, 20);
  EXPECT_GT(history[history.count() - 1].t_s, 980);
}

TEST(Regions, NameTheSetThatRuns) {
  meter::Regions regions;
  EXPECT_EQ(regions.now(), 0u);
  regions.enter(10);
  std::uint64_t alone = regions.now();
  regions.enter(11);
  std::uint64_t both = regions.now();
  EXPECT_NE(alone, both);
  regions.leave(10);
  regions.leave(11);
  EXPECT_EQ(regions.now(), 0u);
  regions.enter(11);
  regions.enter(10);
  EXPECT_EQ(regions.now(), both);
}

}  // namespace
}  // namespace weir::control
