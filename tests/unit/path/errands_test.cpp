// SPDX-License-Identifier: Apache-2.0
// Calls that only a thread can make, by plain threads that suspend (forced).
#include "path/errands.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "base/clock.h"
#include "errand/errand.h"
#include "path/habit.h"
#include "sys/process.h"
#include "tests/unit/path/run_fixture.h"
#include "tests/unit/sys/apart.h"

namespace weir::path {
namespace {

struct Named {
  std::int32_t made_by = 0;
  Result result = 0;
};

Result make(Call& call) {
  auto& named = *static_cast<Named*>(const_cast<void*>(call.arguments));
  named.made_by = sys::thread_id();
  return named.result;
}

class ErrandsTest : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    errand::after_fork();  // threads of ours that a test before found too unlike its own are not asked any more
  }
  Result call(Named& named, Habit* habit) {
    Call it{Family::direct};
    it.attempt = [](Call&) -> Result { return -EAGAIN; };
    it.real = make;
    it.arguments = &named;
    it.habit = habit;
    return run(it);
  }
  static void grow_long(Habit& habit) {
    for (int i = 0; i < 20; ++i) habit.took(base::ns_per_ms);
  }
};

TEST_F(ErrandsTest, what_takes_long_is_made_by_another_thread_while_its_task_is_set_aside) {
  Habit habit;
  grow_long(habit);
  Named named{0, 7};
  EXPECT_EQ(call(named, &habit), 7);
  EXPECT_NE(named.made_by, sys::thread_id());
  EXPECT_EQ(meter::totals().suspended, before_.suspended + 1);
}

TEST_F(ErrandsTest, an_error_comes_back_as_one) {
  Habit habit;
  grow_long(habit);
  Named named{0, -ENOENT};
  EXPECT_EQ(call(named, &habit), -ENOENT);
  EXPECT_NE(named.made_by, sys::thread_id());
}

TEST_F(ErrandsTest, what_takes_no_time_or_is_not_known_to_be_anybodys_is_made_here) {
  Habit habit;
  Named named;
  call(named, &habit);
  EXPECT_EQ(named.made_by, sys::thread_id());
  call(named, nullptr);
  EXPECT_EQ(named.made_by, sys::thread_id());
  EXPECT_EQ(meter::totals().parked, before_.parked + 2);
}

TEST_F(ErrandsTest, what_takes_no_time_any_more_is_made_here_again) {
  Habit habit;
  grow_long(habit);
  Named named;
  for (int i = 0; i < 100 && named.made_by != sys::thread_id(); ++i) call(named, &habit);
  EXPECT_EQ(named.made_by, sys::thread_id());
}

TEST_F(ErrandsTest, a_thread_with_a_folder_of_its_own_makes_its_calls_itself) {
  if (!sys::threads_may_part()) GTEST_SKIP() << "not allowed here";
  Habit habit;
  grow_long(habit);
  Named of_others;
  call(of_others, &habit);
  std::thread([&] {
    ASSERT_EQ(unshare(CLONE_FS), 0);
    grow_long(habit);
    Named named{0, 9};
    EXPECT_EQ(call(named, &habit), 9);
    EXPECT_EQ(named.made_by, sys::thread_id());
  }).join();
}

TEST_F(ErrandsTest, a_habit_is_what_calls_took_of_late) {
  Habit habit;
  EXPECT_FALSE(habit.is_long());
  habit.took(100'000);
  EXPECT_FALSE(habit.is_long());
  for (int i = 0; i < 7; ++i) habit.took(100'000);
  EXPECT_TRUE(habit.is_long());
  for (int i = 0; i < 20; ++i) habit.took(5'000);
  EXPECT_FALSE(habit.is_long());
}

}  // namespace
}  // namespace weir::path
