// SPDX-License-Identifier: Apache-2.0
#include "fiber/fiber.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace weir::fiber {
namespace {

constinit StackPool pool;

struct Steps {
  Fiber fiber;
  std::vector<int> seen;
};

TEST(Fiber, LeavesAndGoesOnWhereItLeft) {
  Stack* stack = pool.take();
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
  pool.give(stack);
}

TEST(Fiber, KeepsItsRoundingMode) {
  Stack* stack = pool.take();
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
  pool.give(stack);
}

TEST(Stack, IsGuarded) {
  Stack* stack = pool.take();
  ASSERT_NE(stack, nullptr);
  stack->low[0] = 1;
  EXPECT_DEATH(stack->low[-1] = 1, "");
  pool.give(stack);
}

TEST(Stack, TheLastGivenIsTakenFirst) {
  Stack* one = pool.take();
  Stack* two = pool.take();
  pool.give(one);
  pool.give(two);
  EXPECT_EQ(pool.take(), two);
  EXPECT_EQ(pool.take(), one);
  pool.give(one);
  pool.give(two);
}

long resident_kib() {
  FILE* file = std::fopen("/proc/self/statm", "r");
  long total, resident = 0;
  if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * 4;
}

TEST(Stack, EachPoolHasItsSize) {
  StackPool small, large;
  small.set_bytes(64 << 10);
  large.set_bytes(1 << 20);
  Stack* of_small = small.take();
  Stack* of_large = large.take();
  ASSERT_TRUE(of_small && of_large);
  EXPECT_GE(of_small->high - of_small->low, 64 << 10);
  EXPECT_LT(of_small->high - of_small->low, 1 << 20);
  EXPECT_GE(of_large->high - of_large->low, 1 << 20);
  small.give(of_small);
  Stack* again = large.take();
  EXPECT_GE(again->high - again->low, 1 << 20);
}

TEST(Stack, TrimGivesThePagesOfIdleOnesBack) {
  std::vector<Stack*> stacks;
  for (int i = 0; i < 1000; ++i) {
    Stack* stack = pool.take();
    ASSERT_NE(stack, nullptr);
    for (int page = 1; page <= 4; ++page) stack->high[-4096 * page] = 1;
    stacks.push_back(stack);
  }
  long used = resident_kib();
  for (Stack* stack : stacks) pool.give(stack);
  pool.trim();
  EXPECT_LT(resident_kib(), used - 8'000);
}

TEST(Stack, TrimLeavesWhatIsInUseAndTheGuards) {
  StackPool own;
  own.set_bytes(64 << 10);
  std::vector<Stack*> stacks;
  for (int i = 0; i < 1000; ++i) {
    stacks.push_back(own.take());
    ASSERT_NE(stacks.back(), nullptr);
    stacks.back()->low[0] = 7;
  }
  Stack* used = stacks[500];
  for (Stack* stack : stacks) {
    if (stack != used) own.give(stack);
  }
  own.trim();
  EXPECT_EQ(used->low[0], 7);
  own.give(used);
  for (Stack*& stack : stacks) ASSERT_NE(stack = own.take(), nullptr);
  EXPECT_EQ(std::set<Stack*>(stacks.begin(), stacks.end()).size(), stacks.size());
  EXPECT_GT(std::count_if(stacks.begin(), stacks.end(), [](Stack* stack) { return stack->low[0] == 0; }), 700);
  EXPECT_DEATH(stacks[0]->low[-1] = 1, "");
  EXPECT_DEATH(stacks[999]->low[-1] = 1, "");
}

// Slabs go back while other threads take stacks, of the same slabs among them.
TEST(Stack, TrimLeavesAloneWhatIsTakenMeanwhile) {
  StackPool own;
  own.set_bytes(64 << 10);
  std::atomic<int> lost{0};
  auto use = [&](unsigned seed) {
    std::minstd_rand random(seed);
    for (int round = 0; round < 1500; ++round) {
      std::vector<Stack*> mine(1 + random() % 300);
      for (Stack*& stack : mine) {
        stack = own.take();
        *reinterpret_cast<Stack**>(stack->low) = stack;
      }
      for (Stack* stack : mine) lost += *reinterpret_cast<Stack**>(stack->low) != stack;
      for (Stack* stack : mine) own.give(stack);
      own.trim();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed) threads.emplace_back(use, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace weir::fiber
