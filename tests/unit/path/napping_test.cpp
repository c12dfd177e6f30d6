// SPDX-License-Identifier: Apache-2.0
#include "path/napping.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "gate/gate.h"
#include "sys/process.h"

namespace weir::path {
namespace {

int naps_due() {
  int naps = 0;
  for (; nap_is_due() && naps < 10'000; ++naps) nap();
  return naps;
}

// With nothing of what the thread of the tests did before.
void on_a_thread(void (*body)()) { std::thread(body).join(); }

TEST(Napping, IsNotDueAfterShortYields) {
  for (int i = 0; i < 1000; ++i) watched_yield([] {});
  EXPECT_FALSE(nap_is_due());
}

TEST(Napping, IsDueForAWhileAfterALongYieldToOthers) {
  after_long_yield(30 * base::ns_per_ms, 0);
  std::int64_t began = base::now_ns();
  EXPECT_EQ(naps_due(), 2000);  // 200 ms of them, with their wakes
  EXPECT_GE(base::now_ns() - began, 2000 * 50'000);
  after_long_yield(4 * base::ns_per_ms, 0);
  EXPECT_EQ(naps_due(), 800);
}

// A thread of the program computes on the other core, and of its last tick the kernel says nothing yet.
TEST(Napping, IsNotDueForWhatTheKernelHasNotCountedYet) {
  on_a_thread([] {
    std::int64_t cores = gate::the_gate.cores.limit();
    for (int i = 0; i < 40; ++i) {
      std::int64_t missing = (i % 2 ? -3 : 3) * base::ns_per_ms;
      after_long_yield(4 * base::ns_per_ms, cores * 4 * base::ns_per_ms - missing);
      EXPECT_FALSE(nap_is_due());
    }
  });
}

TEST(Napping, IsDueAfterTheSecondLongYieldForTheFirstWasNotWatched) {
  auto others_compute = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
  // Again where other programs had the cores while it asked what its own computed: then it can't tell.
  for (int tries = 0; tries < 20 && !nap_is_due(); ++tries) {
    base::self().watched_yields = 0;
    base::self().yields_to_others = true;
    watched_yield(others_compute);
    EXPECT_FALSE(nap_is_due());
    watched_yield(others_compute);
  }
  EXPECT_TRUE(nap_is_due());
  naps_due();
}

TEST(Napping, IsNotDueAfterALongYieldToTheProgramsOwnThreads) {
  std::int64_t cores = gate::the_gate.cores.limit();
  after_long_yield(30 * base::ns_per_ms, cores * 30 * base::ns_per_ms);
  EXPECT_FALSE(nap_is_due());
  EXPECT_FALSE(others_had_a_core(1000, 1900, 2));
  EXPECT_TRUE(others_had_a_core(1000, 1100, 2));
}

TEST(Napping, TakesWhatTheKernelSaidAMomentAgoForTheLeastOrTheMostComputedByNow) {
  for (int i = 0; i < 2000; ++i) {
    std::int64_t before = sys::process_cpu_ns(), most = own_cpu_at_most(base::now_ns());
    EXPECT_GE(most, before);
    std::int64_t lately = own_cpu_lately(base::now_ns());
    EXPECT_LE(lately, sys::process_cpu_ns());
  }
}

TEST(Napping, IsLongerWhereManyDo) {
  EXPECT_EQ(nap_among_ns(1, 2), 50'000);
  EXPECT_EQ(nap_among_ns(7, 2), 50'000);
  EXPECT_EQ(nap_among_ns(128, 2), 32 * 50'000);
  std::int64_t many = 40 * gate::the_gate.cores.limit();
  std::atomic<std::int64_t> naps{0};
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < many; ++i) {
    threads.emplace_back([&] {
      after_long_yield(60 * base::ns_per_s, 0);
      naps += naps_due();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(naps, many * 500);  // 2000 each, one by one
  after_long_yield(60 * base::ns_per_s, 0);
  EXPECT_EQ(naps_due(), 2000);
}

TEST(Napping, IsLongerTheLongerABarrierHasLasted) {
  EXPECT_EQ(nap_at_barrier_ns(0, 1, 2), 50'000);
  EXPECT_EQ(nap_at_barrier_ns(0, 128, 2), 32 * 50'000);
  EXPECT_EQ(nap_at_barrier_ns(16 * base::ns_per_ms, 1, 2), base::ns_per_ms);
  EXPECT_EQ(nap_at_barrier_ns(base::ns_per_s, 1, 2), 2 * base::ns_per_ms);
}

TEST(Napping, LastsLongerAtABarrierFromTheFirstOneThereOn) {
  base::Thread& thread = base::self();
  thread.naps_ns = 0;
  thread.at_barrier_ns = -1;
  nap();
  EXPECT_GT(thread.at_barrier_ns, 0);
  thread.at_barrier_ns = base::now_ns() - base::ns_per_s;
  thread.naps_ns = 0;
  nap();
  EXPECT_EQ(thread.naps_ns, -4 * base::ns_per_ms);
  thread.at_barrier_ns = 0;
  thread.naps_ns = 0;
}

TEST(Napping, EndsHoweverLongTheYieldWas) {
  after_long_yield(60 * base::ns_per_s, 0);
  EXPECT_EQ(naps_due(), 2000);
}

}  // namespace
}  // namespace weir::path
