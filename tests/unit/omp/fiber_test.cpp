// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/fiber.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cfenv>
#include <vector>

namespace weir::omp {
namespace {

struct Steps {
  Fiber fiber;
  std::vector<int> seen;
};

TEST(Fiber, LeavesAndGoesOnWhereItLeft) {
  Stack* stack = take_stack();
  ASSERT_NE(stack, nullptr);
  Steps steps;
  steps.fiber.prepare(stack, [](void* self_) {
    auto* self = static_cast<Steps*>(self_);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(self->fiber.holds(&i));
      self->seen.push_back(i);
      self->fiber.leave();
    }
  }, &steps);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(steps.fiber.enter());
    EXPECT_EQ(steps.seen.size(), i + 1u);
  }
  EXPECT_TRUE(steps.fiber.enter());
  EXPECT_FALSE(steps.fiber.holds(&steps));
  give_stack(stack);
}

TEST(Fiber, KeepsItsRoundingMode) {
  Stack* stack = take_stack();
  Fiber fiber;
  fiber.prepare(stack, [](void* self) {
    std::fesetround(FE_UPWARD);
    static_cast<Fiber*>(self)->leave();
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
  }, &fiber);
  EXPECT_FALSE(fiber.enter());
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_TRUE(fiber.enter());
  give_stack(stack);
}

TEST(Stack, IsGuarded) {
  Stack* stack = take_stack();
  ASSERT_NE(stack, nullptr);
  stack->low[0] = 1;
  EXPECT_DEATH(stack->low[-1] = 1, "");
  give_stack(stack);
}

TEST(Stack, TheLastGivenIsTakenFirst) {
  Stack* one = take_stack();
  Stack* two = take_stack();
  give_stack(one);
  give_stack(two);
  EXPECT_EQ(take_stack(), two);
  EXPECT_EQ(take_stack(), one);
  give_stack(one);
  give_stack(two);
}

long resident_kib() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long total, resident = 0;
  if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * 4;
}

TEST(Stack, TrimGivesThePagesOfIdleOnesBack) {
  std::vector<Stack*> stacks;
  for (int i = 0; i < 1000; ++i) {
    Stack* stack = take_stack();
    ASSERT_NE(stack, nullptr);
    for (int page = 1; page <= 4; ++page) stack->high[-4096 * page] = 1;
    stacks.push_back(stack);
  }
  long used = resident_kib();
  for (Stack* stack : stacks) give_stack(stack);
  trim_stacks();
  EXPECT_LT(resident_kib(), used - 8'000);
}

}  // namespace
}  // namespace weir::omp
