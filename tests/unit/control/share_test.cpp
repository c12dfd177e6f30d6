// SPDX-License-Identifier: Apache-2.0
#include "control/share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace weir::control {
namespace {

constexpr std::int64_t second = 1'000'000'000;

Reading at(std::int64_t now_ns, std::int64_t held, std::int64_t waiting, std::int64_t ops = 0) {
  return {.now_ns = now_ns, .storage_ops = ops, .storage_bytes = ops * 4096, .held = held, .waiting = waiting};
}

struct Company : testing::Test {
  std::unique_ptr<SharedPage> page = std::make_unique<SharedPage>();
  Share a, b, c;
  void SetUp() override {
    ASSERT_TRUE(a.join(page.get(), 101) && b.join(page.get(), 102) && c.join(page.get(), 103));
  }
};

TEST_F(Company, OneLeadsAndTheNextTakesOverWhenItIsSilent) {
  for (Share* one : {&a, &b}) one->tell(at(10 * second, 5, 5));
  EXPECT_TRUE(a.look(10 * second).leads);
  EXPECT_FALSE(b.look(10 * second).leads);
  EXPECT_EQ(b.look(10 * second).members, 2);  // c has said nothing
  b.tell(at(13 * second, 5, 5));
  EXPECT_TRUE(b.look(13 * second).leads);
  EXPECT_NE(b.look(13 * second).company, b.look(11 * second).company);
}

TEST_F(Company, WhoLeavesOrRestsHasNoPart) {
  for (Share* one : {&a, &b, &c}) one->tell(at(second, 50, 50));
  a.set_total(30);
  EXPECT_EQ(b.part(second), 10);
  a.rest();
  EXPECT_EQ(b.part(second), 15);
  c.leave();
  EXPECT_FALSE(c.joined());
  b.tell(at(second, 50, 50));
  EXPECT_EQ(b.part(second), 30);
}

TEST_F(Company, PartsAddUpAndNobodyHasNone) {
  for (Share* one : {&a, &b, &c}) one->tell(at(second, 50, 50));
  for (int total : {3, 4, 5, 31, 128}) {
    a.set_total(total);
    EXPECT_EQ(a.part(second) + b.part(second) + c.part(second), total);
  }
  a.set_total(1);
  EXPECT_EQ(c.part(second), 1);
}

TEST_F(Company, WhatOneDoesNotWantIsForTheOthers) {
  a.tell(at(second, 2, 0));
  b.tell(at(second, 20, 50));
  c.tell(at(second, 20, 50));
  a.set_total(60);
  EXPECT_GE(a.part(second), 2);
  EXPECT_LE(a.part(second), 12);  // room to want more
  EXPECT_EQ(b.part(second), 29);
  EXPECT_EQ(c.part(second), 29);
}

TEST_F(Company, TheSumIsOfThoseThatAreThere) {
  a.tell(at(10 * second, 1, 2, 100));
  b.tell(at(5 * second, 1, 2, 1000));
  c.tell(at(10 * second, 3, 4, 10));
  Reading all = a.sum(at(10 * second, 1, 2, 100));
  EXPECT_EQ(all.storage_ops, 110);
  EXPECT_EQ(all.held, 4);
  EXPECT_EQ(all.waiting, 6);
}

TEST_F(Company, AQuestionIsAnsweredByAll) {
  for (Share* one : {&a, &b, &c}) one->tell(at(second, 1, 1));
  a.ask();
  EXPECT_FALSE(a.answered(second));
  b.tell(at(second, 1, 1));
  EXPECT_FALSE(a.answered(second));
  c.tell(at(second, 1, 1));
  EXPECT_TRUE(a.answered(second));
}

TEST(Share, RefusesAPageOfAnotherLayoutAndAFullOne) {
  auto page = std::make_unique<SharedPage>();
  page->layout.store(7);
  EXPECT_FALSE(Share().join(page.get(), 1));
  page->layout.store(0);
  std::vector<Share> all(SharedPage::places);
  for (int i = 0; i < SharedPage::places; ++i) EXPECT_TRUE(all[i].join(page.get(), i + 1));
  EXPECT_FALSE(Share().join(page.get(), 1000));
}

constexpr int callers = 100, knee = 24;

// Two processes on a device that does best at 24 and thrashes beyond: together they must not ask for more, though each
// alone would gain by it.
TEST(Share, TwoProcessesStayWhereTheDeviceDoesBestTogether) {
  auto page = std::make_unique<SharedPage>();
  struct Process {
    Share share;
    Reading reading{.now_ns = second};
    int limit = 64;
    std::int64_t held() const { return std::min(limit, callers); }
  } process[2];
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(process[i].share.join(page.get(), i + 1));
  Loop loop(Algorithm::weir, {2, 128, 64});
  double done_s = 0, best_s = 0;
  for (std::int64_t now = second; now < 41 * second;) {
    std::int64_t sleep_ns = 0;
    for (Process& one : process) {
      one.reading.now_ns = now;
      one.reading.held = one.held();
      one.reading.waiting = callers - one.held();
      one.share.tell(one.reading);
    }
    ASSERT_TRUE(process[0].share.look(now).leads);
    Loop::Turn turn = loop.turn(process[0].share.sum(process[0].reading));
    process[0].share.set_total(turn.limit);
    sleep_ns = turn.sleep_ns;
    ASSERT_GT(sleep_ns, 0);
    for (Process& one : process) one.limit = one.share.part(now);
    double level = static_cast<double>(process[0].held() + process[1].held());
    double seconds = static_cast<double>(sleep_ns) / 1e9;
    double rate = 125 * std::min(level, double{knee}) / (1 + 0.04 * std::max(0.0, level - knee));
    for (Process& one : process) {
      double ops = rate * seconds * static_cast<double>(one.held()) / level;
      one.reading.storage_ops += static_cast<std::int64_t>(ops);
      one.reading.storage_bytes += static_cast<std::int64_t>(ops) * 4096;
      one.reading.blocked_ns += static_cast<std::int64_t>(static_cast<double>(callers) * static_cast<double>(sleep_ns));
    }
    now += sleep_ns;
    if (now > 11 * second) done_s += rate * seconds, best_s += 125 * knee * seconds;
  }
  EXPECT_GT(done_s, 0.9 * best_s);
  EXPECT_NEAR(process[0].limit, process[1].limit, 1);
}

}  // namespace
}  // namespace weir::control
