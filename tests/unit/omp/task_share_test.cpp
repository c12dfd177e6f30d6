// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/task_share.h"

#include <gtest/gtest.h>

namespace weir::omp {
namespace {

std::uint64_t all(const Share& share) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < share.tasks; ++i) sum += share.iterations_of(i);
  return sum;
}

TEST(TaskShare, LosesAndInventsNoIteration) {
  for (std::uint64_t trips = 1; trips < 200; ++trips)
    for (int schedule : {0, 1, 2})
      for (std::uint64_t amount : {1u, 2u, 7u, 64u, 1000u}) {
        Share share = share_out(trips, schedule, amount, false, 3);
        EXPECT_EQ(all(share), trips);
        EXPECT_GE(share.iterations_of(share.tasks - 1), 1u);
      }
}

TEST(TaskShare, GivesAsManyTasksAsAsked) {
  EXPECT_EQ(share_out(100, 2, 7, false, 4).tasks, 7u);
  EXPECT_EQ(share_out(5, 2, 7, false, 4).tasks, 5u);
  EXPECT_EQ(share_out(1000, 0, 0, false, 4).tasks, 40u);
}

TEST(TaskShare, KeepsAGrainsizeBetweenItselfAndItsDouble) {
  for (std::uint64_t trips = 10; trips < 100; ++trips) {
    Share share = share_out(trips, 1, 10, false, 2);
    EXPECT_GE(share.iterations_of(share.tasks - 1), 10u);
    EXPECT_LT(share.iterations_of(0), 20u);
  }
}

TEST(TaskShare, AStrictGrainsizeLeavesTheRestToTheLast) {
  Share share = share_out(25, 1, 10, true, 2);
  EXPECT_EQ(share.tasks, 3u);
  EXPECT_EQ(share.iterations_of(0), 10u);
  EXPECT_EQ(share.iterations_of(1), 10u);
}

TEST(TaskShare, NoTripsAreNoTasks) { EXPECT_EQ(share_out(0, 0, 0, false, 4).tasks, 0u); }

}  // namespace
}  // namespace weir::omp
