// SPDX-License-Identifier: Apache-2.0
#include "wait/unseen_locks.h"

#include <gtest/gtest.h>

#include "meter/counters.h"

namespace weir::wait {
namespace {

using Verdict = UnseenLocks::Verdict;

// What the caller's n-th call was told, with `calls` in all waiting when somebody wants something meanwhile.
Verdict call(UnseenLocks& locks, const void* caller, bool wanted, int calls = 1, bool may_try = true) {
  Verdict verdict = locks.begins(caller, may_try);
  for (int i = 0; i < calls; ++i) meter::gauges.suspended.rise();
  if (wanted) locks.somebody_wants();
  for (int i = 0; i < calls; ++i) meter::gauges.suspended.fall();
  return verdict;
}

const int here = 0, there = 0;

TEST(UnseenLocksTest, one_that_is_wanted_by_others_while_its_first_calls_wait_is_held) {
  UnseenLocks locks;
  EXPECT_EQ(call(locks, &here, true), Verdict::trial);
  EXPECT_EQ(call(locks, &here, true), Verdict::trial);
  EXPECT_EQ(call(locks, &here, false), Verdict::held);
  EXPECT_EQ(call(locks, &there, false), Verdict::trial);
}

TEST(UnseenLocksTest, nothing_is_known_of_calls_that_wait_beside_others) {
  UnseenLocks locks;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(call(locks, &here, true, 2), Verdict::trial);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(call(locks, &here, true, 2), Verdict::nothing_known);
}

TEST(UnseenLocksTest, one_that_nobody_wanted_at_first_is_held_when_it_is_more_often_than_not) {
  UnseenLocks locks;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(call(locks, &here, false), Verdict::trial);
  int calls = 0;
  while (call(locks, &here, true) != Verdict::held && calls < 100) ++calls;
  EXPECT_EQ(calls, 4);
}

TEST(UnseenLocksTest, one_that_is_seldom_wanted_is_let_alone_after_a_while) {
  UnseenLocks locks;
  for (int i = 0; i < 300; ++i) call(locks, &here, i % 3 == 2);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(call(locks, &here, true), Verdict::nothing_known);
}

TEST(UnseenLocksTest, of_more_tries_those_that_nobody_wanted_say_nothing) {
  UnseenLocks locks;
  for (int i = 0; i < 13; ++i) EXPECT_EQ(locks.begins(&here, true, 16), Verdict::trial);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(locks.begins(&here, true, 16), Verdict::trial);
    meter::gauges.suspended.rise();
    locks.somebody_wants();
    meter::gauges.suspended.fall();
  }
  EXPECT_EQ(locks.begins(&here, true, 16), Verdict::held);
}

TEST(UnseenLocksTest, there_is_no_trial_where_none_may_be_made) {
  UnseenLocks locks;
  EXPECT_EQ(call(locks, &here, true, 1, false), Verdict::nothing_known);
  EXPECT_EQ(call(locks, nullptr, true), Verdict::nothing_known);
}

}  // namespace
}  // namespace weir::wait
