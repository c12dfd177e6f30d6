// SPDX-License-Identifier: Apache-2.0
// What the kernel works for counts as a wait only for as long as its thread slept.
#include "path/slept.h"

#include <sched.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "path/habit.h"
#include "sys/process.h"
#include "tests/unit/path/run_fixture.h"

namespace weir::path {
namespace {

constexpr std::int64_t some_ns = 3 * base::ns_per_ms;

bool held_core;

Result computes(Call&) {
  held_core = base::self().holds_core;
  for (std::int64_t end = sys::thread_cpu_ns() + some_ns; sys::thread_cpu_ns() < end;) {}
  return 7;
}

Result sleeps(Call&) {
  held_core = base::self().holds_core;
  usleep(some_ns / base::ns_per_us);
  return 8;
}

class SleptTest : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    for (int i = 0; i < 1000 && !sys::thread_sleeps(); ++i) usleep(100);  // so that the kernel has counted a sleep
  }
  Result call(Result (*real)(Call&), bool works = true) {
    Call it{Family::direct};
    it.attempt = [](Call&) -> Result { return -EAGAIN; };
    it.real = real;
    it.habit = &habit_;
    it.works = works;
    return run(it);
  }
  std::int64_t parked() const { return meter::totals().parked - before_.parked; }
  std::int64_t blocked_ns() const { return meter::totals().blocked_ns - before_.blocked_ns; }
  Habit habit_;
};

TEST_F(SleptTest, what_computes_has_not_waited) {
  EXPECT_EQ(call(computes), 7);
  EXPECT_EQ(parked(), 0);
  EXPECT_EQ(blocked_ns(), 0);
  EXPECT_EQ(fast_hits(), 1);
}

TEST_F(SleptTest, what_sleeps_has) {
  EXPECT_EQ(call(sleeps), 8);
  EXPECT_EQ(parked(), 1);
  EXPECT_GE(blocked_ns(), some_ns);
  EXPECT_EQ(fast_hits(), 0);
}

TEST_F(SleptTest, of_another_call_all_counts) {
  EXPECT_EQ(call(computes, false), 7);
  EXPECT_EQ(parked(), 1);
  EXPECT_GE(blocked_ns(), some_ns);
}

// It is ready all the while.
TEST_F(SleptTest, what_others_compute_meanwhile_is_no_wait) {
  cpu_set_t before, only;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&only);
  CPU_SET(sched_getcpu(), &only);
  ASSERT_EQ(sched_setaffinity(0, sizeof only, &only), 0);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {}
  });  // on the same core
  for (int i = 0; i < 20; ++i) call(computes);
  over = true;
  other.join();
  EXPECT_EQ(parked(), 0);
  sched_setaffinity(0, sizeof before, &before);
}

TEST_F(SleptTest, the_core_is_given_away_where_such_calls_have_slept_and_kept_where_they_have_not) {
  gate::take_core_at_once();
  call(sleeps);
  EXPECT_TRUE(held_core);
  call(sleeps);
  EXPECT_FALSE(held_core);
  EXPECT_TRUE(base::self().holds_core);
  // The first ones elsewhere. By times a thread sleeps for its memory, as where a hypervisor has not that at hand.
  bool is_kept = false;
  for (int tries = 0; tries < 5 && !is_kept; ++tries) {
    for (int i = 0; i < 20; ++i) call(computes);
    std::int64_t so_far = blocked_ns();
    is_kept = true;
    for (int i = 0; i < 20; ++i) {
      call(computes);
      is_kept = is_kept && held_core;
    }
    is_kept = is_kept && blocked_ns() == so_far;
  }
  EXPECT_TRUE(is_kept);
  gate::give_core();
}

}  // namespace
}  // namespace weir::path
