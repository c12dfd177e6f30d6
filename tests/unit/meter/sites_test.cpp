// SPDX-License-Identifier: Apache-2.0
#include "meter/sites.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace weir::meter {
namespace {

Wait from(std::uintptr_t address) {
  return {{"read", reinterpret_cast<const void*>(address)}, Served::parked, Reason::none, 10, 3'000, 1'000};
}

std::int64_t counted(const Sites& sites) {
  std::int64_t sum = sites.others().count;
  for (int i = 0; i < Sites::most; ++i)
    if (const Site* site = sites.at(i)) sum += site->count;
  return sum;
}

TEST(Sites, OneCallerHasOneRow) {
  auto sites = std::make_unique<Sites>();
  for (int i = 0; i < 5; ++i) sites->add(from(0x1234));
  int rows = 0;
  for (int i = 0; i < Sites::most; ++i) {
    const Site* site = sites->at(i);
    if (!site) continue;
    ++rows;
    EXPECT_EQ(site->count, 5);
    EXPECT_EQ(site->bytes, 50);
    EXPECT_EQ(site->waited_ns, 15'000);
    EXPECT_EQ(site->hidden_ns, 5'000);
    EXPECT_EQ(site->histogram[1], 5);
  }
  EXPECT_EQ(rows, 1);
}

TEST(Sites, AnotherReasonIsAnotherRow) {
  auto sites = std::make_unique<Sites>();
  Wait wait = from(0x1234);
  sites->add(wait);
  wait.reason = Reason::lock_held;
  sites->add(wait);
  int rows = 0;
  for (int i = 0; i < Sites::most; ++i) rows += sites->at(i) != nullptr;
  EXPECT_EQ(rows, 2);
}

TEST(Sites, TenMillionCallersLoseNoCall) {
  auto sites = std::make_unique<Sites>();
  constexpr std::int64_t callers = 10'000'000;
  for (std::int64_t i = 1; i <= callers; ++i) sites->add(from(static_cast<std::uintptr_t>(i) * 16));
  EXPECT_EQ(counted(*sites), callers);
  EXPECT_GT(sites->others().count, callers - Sites::most - 1);
}

TEST(Sites, ThreadsLoseNoCall) {
  auto sites = std::make_unique<Sites>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uintptr_t i = 1; i <= 20'000; ++i) sites->add(from(i % 2'000 + 1));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted(*sites), 80'000);
}

TEST(Sites, BucketsArePowersOfTwoMicroseconds) {
  EXPECT_EQ(bucket_of(0), 0);
  EXPECT_EQ(bucket_of(1'999), 0);
  EXPECT_EQ(bucket_of(2'000), 1);
  EXPECT_EQ(bucket_of(1'024'000), 10);
  EXPECT_EQ(bucket_of(1'000'000'000'000'000), Site::buckets - 1);
}

TEST(Sites, ResetForgetsAll) {
  auto sites = std::make_unique<Sites>();
  sites->add(from(16));
  sites->reset();
  EXPECT_EQ(counted(*sites), 0);
}

}  // namespace
}  // namespace weir::meter
