// SPDX-License-Identifier: Apache-2.0
// Where a number goes in the machine code of this very program.
#include "lane/value.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// As compilers make it for a program, not for a sanitizer.
#define PLAIN no_sanitize("address", "undefined", "thread")
#if defined(__clang__)
#define APART __attribute__((noinline, used, PLAIN))
#else
#define APART __attribute__((noipa, used, PLAIN))  // nor may its callers know what it does
#endif

// They stand for omp_get_num_threads() and omp_get_thread_num().
volatile int some_number = 3;
APART int threads() { return some_number; }
APART int self() { return some_number + 1; }
APART long work(long of) { return of * some_number; }

volatile long sink;

// As compilers share out loops, and programs by hand.
APART void shares(long iterations) {
  long count = threads(), me = self();
  long part = iterations / count, rest = iterations % count;
  if (me < rest) ++part, rest = 0;
  for (long i = part * me + rest, end = i + part; i < end; ++i) sink = work(i);
}
APART void shares_by_hand(int iterations) {
  int me = self(), count = threads();
  for (long i = static_cast<long>(iterations) * me / count, end = static_cast<long>(iterations) * (me + 1) / count; i < end; ++i) sink = work(i);
}
APART void steps(long iterations) {
  for (long i = self(); i < iterations; i += threads()) sink = work(i);
}
APART void steps_by_four(long iterations) {
  long count = threads(), me = self();
  for (long begin = me * 4; begin < iterations; begin += count * 4) {
    for (long i = begin; i < begin + 4 && i < iterations; ++i) sink = work(i);
  }
}

// Where more than the function that asks may come to know.
volatile int known_to_all;
APART void stores() { known_to_all = threads(), sink = 0; }
APART void stores_and_shares(long iterations, int* to) {
  long count = threads(), me = self();
  if (!me) *to = static_cast<int>(count);
  for (long i = iterations / count * me, end = i + iterations / count; i < end; ++i) sink = work(i);
}
APART void stores_one_more(int* to) { *to = threads() + 1; }
APART void* allocates() { return std::calloc(static_cast<unsigned>(threads()), 64); }
APART void* allocates_rows(long row) { return std::malloc(static_cast<unsigned long>(threads() * row)); }
APART long gives_back() { return threads() + 0L; }
APART void tells(const char* format) { std::printf(format, threads()), sink = 1; }
APART void fills(long* by_thread) {
  for (int i = 0; i < threads(); ++i) by_thread[i] = work(i);
}
APART void marks_the_last(bool* by_thread) { by_thread[threads()] = true; }
APART void hands_out_its_frame(void (*to)(int*)) {
  int count = threads();
  to(&count);
}
APART void keeps_over_a_branch(int which, int* to) {
  int count = threads();
  if (which > 3) sink = work(which);
  else if (which > 1) sink = work(which + 1);
  while (which-- > 0) sink = work(which);
  if (sink > 10) *to = count;
}

volatile long table[64], padded[64][8];
APART void counts_in_a_table(long iterations) {
  long count = threads(), me = self(), sum = 0;
  for (long i = iterations / count * me, end = i + iterations / count; i < end; ++i) sum += work(i);
  table[me] = sum;
}
APART void counts_in_a_padded_table(long iterations) {
  long sum = work(iterations);
  padded[self()][0] = sum;
}

APART void one_begins(long iterations) {
  if (self() == 0) sink = work(-1);
  for (long i = 0; i < iterations; ++i) sink = work(i);
}
APART void one_prepares(long iterations) {
  if (self() == 0) {
    for (long i = 0; i < iterations; ++i) sink = work(-i);
  }
  for (long i = 0; i < iterations; ++i) sink = work(i);
}
APART void one_says_how_far(long iterations) {
  int me = self();
  for (long i = 0; i < iterations; ++i) {
    sink = work(i);
    if (me == 0 && i % 10 == 0) sink = work(-i);
  }
}
APART void compares() {
  if (threads() > 4 && self() == 0) sink = work(1);
}

template <typename Result, typename... Arguments>
Use worst_use(Result (*function)(Arguments...), Number number) {
  auto start = reinterpret_cast<std::uintptr_t>(function);
  auto asked = reinterpret_cast<std::uintptr_t>(number == Number::of_threads ? threads : self);
  Object object = Object::around(start);
  Function code = object.starting_at(start);
  Use worst = Use::shares;
  int calls = 0;
  for (std::uintptr_t at = code.begin; at < code.end;) {
    Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), reinterpret_cast<const std::uint8_t*>(code.end));
    at += i.length ? i.length : 1;
    if (i.kind != Instruction::call || i.target != asked) continue;
    ++calls;
    worst = std::max(worst, use_of_number(object, code, at, number, !std::is_void_v<Result>));
  }
  EXPECT_GT(calls, 0);
  return worst;
}
Picked picked(auto* function) {
  auto start = reinterpret_cast<std::uintptr_t>(function);
  Object object = Object::around(start);
  Function code = object.starting_at(start);
  Picked most = Picked::never;
  for (std::uintptr_t at = code.begin; at < code.end;) {
    Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), reinterpret_cast<const std::uint8_t*>(code.end));
    at += i.length ? i.length : 1;
    bool asks = i.kind == Instruction::call && i.target == reinterpret_cast<std::uintptr_t>(self);
    if (asks) most = std::max(most, picked_by_number(object, code, at));
  }
  return most;
}
Use use_of_count(auto* function) { return worst_use(function, Number::of_threads); }
Use use_of_self(auto* function) { return worst_use(function, Number::of_this_thread); }

TEST(RegionValueTest, a_share_of_a_loop_is_no_more_than_that) {
  EXPECT_EQ(use_of_count(shares), Use::shares);
  EXPECT_EQ(use_of_self(shares), Use::shares);
  EXPECT_EQ(use_of_self(compares), Use::shares);
}

// It may be equal for some numbers of threads only.
TEST(RegionValueTest, one_whose_rest_is_dropped_is_more) {
  EXPECT_EQ(use_of_count(shares_by_hand), Use::elsewhere);
  EXPECT_EQ(use_of_count(counts_in_a_table), Use::elsewhere);
}

TEST(RegionValueTest, the_number_of_all_is_not_to_be_compared) {
  EXPECT_EQ(use_of_count(compares), Use::elsewhere);
  EXPECT_EQ(use_of_count(fills), Use::elsewhere);
}

TEST(RegionValueTest, a_step_of_a_loop_ends_with_it) {
  EXPECT_EQ(use_of_count(steps), Use::steps);
  EXPECT_NE(use_of_count(steps_by_four), Use::elsewhere);
}

TEST(RegionValueTest, what_is_stored_or_handed_on_is_kept) {
  EXPECT_EQ(use_of_count(stores), Use::elsewhere);
  EXPECT_EQ(use_of_count(stores_and_shares), Use::elsewhere);
  EXPECT_EQ(use_of_count(stores_one_more), Use::elsewhere);
  EXPECT_EQ(use_of_count(allocates), Use::elsewhere);
  EXPECT_EQ(use_of_count(allocates_rows), Use::elsewhere);
  EXPECT_EQ(use_of_count(gives_back), Use::elsewhere);
  EXPECT_EQ(use_of_count(tells), Use::elsewhere);
  EXPECT_EQ(use_of_count(marks_the_last), Use::elsewhere);
  EXPECT_EQ(use_of_count(hands_out_its_frame), Use::elsewhere);
  EXPECT_EQ(use_of_count(keeps_over_a_branch), Use::elsewhere);
}

TEST(RegionValueTest, a_table_is_indexed_by_it) {
  EXPECT_EQ(use_of_self(counts_in_a_table), Use::elsewhere);
  EXPECT_EQ(use_of_self(counts_in_a_padded_table), Use::elsewhere);
}

TEST(RegionValueTest, a_thread_may_be_picked_by_it) {
  EXPECT_EQ(picked(shares), Picked::never);
  EXPECT_EQ(picked(steps), Picked::never);
  EXPECT_EQ(picked(compares), Picked::beside_loops);
  EXPECT_EQ(picked(one_begins), Picked::beside_loops);
  EXPECT_EQ(picked(one_prepares), Picked::beside_loops);
  EXPECT_EQ(picked(one_says_how_far), Picked::in_loop);
}

}  // namespace
}  // namespace weir::lane
