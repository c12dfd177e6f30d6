// SPDX-License-Identifier: Apache-2.0
#include "path/yielding.h"

#include <gtest/gtest.h>

namespace weir::path {
namespace {

class Yielding : public ::testing::Test {
 protected:
  void SetUp() override {
    base::Thread& thread = base::self();
    place_ = thread.place;
    thread.place = base::in_tbb_arena;
    thread.yields = 0;
    meter::gauges.aside.fetch_add(1);
  }
  void TearDown() override {
    meter::gauges.aside.fetch_sub(1);
    base::self().place = place_;
    base::self().yields = 0;
  }
  static int in_vain(int yields, std::int64_t took_ns) {
    int times = 0;
    for (int i = 0; i < yields; ++i) {
      if (counted_yield() == Spins::for_others) ++times;
      else yielded(took_ns);
    }
    return times;
  }
  std::uint32_t place_;
};

TEST_F(Yielding, IsInVainOnceInPatience) {
  EXPECT_EQ(in_vain(yields_in_patience - 1, 300), 0);
  EXPECT_EQ(in_vain(1, 300), 1);
  EXPECT_EQ(in_vain(10 * yields_in_patience, 300), 10);
}

TEST_F(Yielding, ThatTookASliceOfOthersIsManyAtOnce) {
  EXPECT_EQ(in_vain(1, 10'000'000), 0);
  EXPECT_EQ(in_vain(30, 10'000'000), 30);
  EXPECT_LT(in_vain(1000, 300), 100);  // what is due is soon stood back for, and short yields count as before
}

TEST_F(Yielding, ThatTookAWhileCountsForIt) {
  EXPECT_EQ(in_vain(1, yields_in_patience * 1000 / 2), 0);
  EXPECT_EQ(in_vain(2, yields_in_patience * 1000 / 2), 1);
}

TEST_F(Yielding, IsNeverInVainWhereNobodyEverWasAside) {
  meter::gauges.aside.fetch_sub(1);
  std::int64_t resumed = meter::gauges.resumed.exchange(0);
  EXPECT_EQ(in_vain(1000, 10'000'000), 0);
  meter::gauges.resumed.store(resumed);
  meter::gauges.aside.fetch_add(1);
}

TEST_F(Yielding, HasMorePatienceWhereLibtbbAloneMayHaveSetOneAside) {
  meter::gauges.aside.fetch_sub(1);
  meter::gauges.resumed.fetch_add(1);
  EXPECT_EQ(in_vain(yields_in_much_patience - 1, 300), 0);
  EXPECT_EQ(in_vain(1, 300), 1);
  base::self().place = base::in_omp_task;
  EXPECT_EQ(in_vain(2 * yields_in_much_patience, 300), 0);
  meter::gauges.resumed.fetch_sub(1);
  meter::gauges.aside.fetch_add(1);
}

TEST_F(Yielding, HasMorePatienceWhereOnlyOthersThatSpinAreAside) {
  wait::look_order.joins(0);
  EXPECT_EQ(in_vain(yields_in_much_patience - 1, 300), 0);
  EXPECT_EQ(in_vain(yields_in_much_patience, 300), 1);
  wait::look_order.leaves(0);
}

TEST_F(Yielding, IsInVainAtOnceOfOneThatStoodBack) {
  base::self().looks_from = &place_;
  EXPECT_EQ(in_vain(1, 300), 1);
  meter::gauges.aside.fetch_sub(1);
  EXPECT_EQ(in_vain(1, 300), 0);
  meter::gauges.aside.fetch_add(1);
  base::self().looks_from = nullptr;
}

TEST_F(Yielding, IsNeverInVainOutsideAllPlaces) {
  base::self().place = base::outside;
  EXPECT_EQ(in_vain(1000, 10'000'000), 0);
}

}  // namespace
}  // namespace weir::path
