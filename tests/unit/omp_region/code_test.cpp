// SPDX-License-Identifier: Apache-2.0
// The machine code of this very program, read by itself.
#include "omp_ext/region_code.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

#include "lane/instruction.h"

namespace weir::team {
namespace {

// A function of its own in the machine code: "used" keeps clang from changing it for its callers, as noclone does gcc.
#if defined(__clang__)
#define APART __attribute__((noinline, used))
#else
#define APART __attribute__((noinline, noclone, used))
#endif

volatile double cells[100];
APART void computes(int n) {
  for (int i = 1; i < n; ++i) cells[i] = cells[i - 1] * 0.5 + i / 3.0;
  if (cells[1] < 0) std::printf("%f\n", cells[1]);
}
APART long reads(int fd) {
  char byte;
  return read(fd, &byte, 1) + pread(fd, &byte, 1, 0);
}
APART long reads_deeper(int fd) {
  computes(fd);
  return reads(fd) + 1;
}
using Callback = long(int);
APART long calls(Callback* volatile* what, int fd) { return (*what)(fd) + 1; }
APART long hands_over(int fd) {
  Callback* volatile what = reads;
  return calls(&what, fd);
}

CodeFacts facts_of(auto* function) { return read_code(reinterpret_cast<const void*>(function)); }

TEST(RegionCodeTest, tells_a_call_that_waits) {
  EXPECT_FALSE(facts_of(computes).blocks);
  EXPECT_TRUE(facts_of(reads).blocks);
  EXPECT_TRUE(facts_of(reads_deeper).blocks);
}

TEST(RegionCodeTest, a_call_through_a_pointer_may_be_one) {
  EXPECT_TRUE(facts_of(calls).may_block);
  EXPECT_FALSE(facts_of(computes).may_block);
}

volatile unsigned where;
APART double computes_with_names(int n) {
  auto* room = new double[static_cast<unsigned>(n)];
  for (int i = 0; i < n; ++i) room[i] = __builtin_log(cells[i] + n);
  double result = room[where];
  delete[] room;
  return result;
}
APART long writes(int fd) { return write(fd, "", 1) + 1; }
long (*volatile anybody)(int) = writes;
APART long calls_anybody(int fd) { return anybody(fd) + 1; }
APART long goes_to_anybody(int fd) { return anybody(fd); }

TEST(RegionCodeTest, knows_code_that_never_waits) {
  auto never = [](auto* function) { return never_waits(read_code(reinterpret_cast<const void*>(function), Reading::to_the_end)); };
  EXPECT_TRUE(never(computes_with_names));
  EXPECT_FALSE(never(computes));  // it prints, and that may be to a pipe
  EXPECT_FALSE(never(reads_deeper));
  EXPECT_FALSE(never(writes));
  EXPECT_FALSE(never(calls_anybody));
  EXPECT_FALSE(never(goes_to_anybody));
  EXPECT_FALSE(never(hands_over));
}

TEST(RegionCodeTest, a_function_that_is_handed_over_is_followed) { EXPECT_TRUE(facts_of(hands_over).blocks); }

TEST(RegionCodeTest, code_of_nobody_says_nothing) {
  unsigned char bytes[16] = {};  // on the stack: no object holds them
  EXPECT_FALSE(starts_wide(read_code(bytes)));
}

TEST(RegionCodeTest, a_barrier_in_a_loop_is_not_started_wide) {
  EXPECT_TRUE(starts_wide({.blocks = true, .shares = true}));
  EXPECT_TRUE(starts_wide({.may_block = true, .shares = true}));
  EXPECT_FALSE(starts_wide({.blocks = true, .loops_barrier = true, .shares = true}));
}

TEST(RegionCodeTest, one_that_does_the_same_in_each_thread_is_not_started_wide) {
  EXPECT_FALSE(starts_wide({.blocks = true}));
  EXPECT_TRUE(starts_wide({.blocks = true, .takes = true}));
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int lines = 3;
APART bool takes_line(char* byte) {
  pthread_mutex_lock(&lock);
  bool more = lines > 0;
  if (more) --lines;
  pthread_mutex_unlock(&lock);
  return more && read(0, byte, 1) > 0;
}
APART long takes_lines() {
  long sum = 0;
  for (char byte; takes_line(&byte);) sum += byte;
  return sum;
}
APART long takes_some_lines(int n) {
  long sum = 0;
  char byte = 0;
  for (int i = 0; i < n; ++i) sum += takes_line(&byte);
  return sum;
}
APART long takes_a_line() {
  char byte = 0;
  return takes_line(&byte) + byte;
}

TEST(RegionCodeTest, tells_who_takes_until_none_is_left) {
  auto takes = [](auto* function) { return read_code(reinterpret_cast<const void*>(function), Reading::to_the_end).takes; };
  EXPECT_TRUE(takes(takes_lines));
  EXPECT_FALSE(takes(takes_some_lines));
  EXPECT_FALSE(takes(takes_a_line));
  EXPECT_FALSE(takes(reads));
}

TEST(RegionCodeTest, one_whose_passes_wait_for_each_other_is_not_started_wide) {
  EXPECT_FALSE(starts_wide({.blocks = true, .passes_wait = true, .shares = true}));
}

TEST(RegionCodeTest, knows_names) {
  EXPECT_EQ(kind_of_name("pread64"), NameKind::waits);
  EXPECT_EQ(kind_of_name("_ZNSi4readEPcl"), NameKind::waits);
  EXPECT_EQ(kind_of_name("nanosleep"), NameKind::waits_for_others);
  EXPECT_EQ(kind_of_name("printf"), NameKind::other);
  EXPECT_EQ(kind_of_name("readlink"), NameKind::other);
  EXPECT_EQ(kind_of_name("__kmpc_fork_call"), NameKind::forks);
  EXPECT_EQ(kind_of_name("GOMP_parallel_loop_dynamic"), NameKind::forks);
  EXPECT_EQ(kind_of_name("GOMP_parallel_end"), NameKind::other);
  EXPECT_EQ(kind_of_name("GOMP_taskwait"), NameKind::other);
  EXPECT_EQ(kind_of_name("GOMP_taskloop"), NameKind::makes_tasks);
  EXPECT_EQ(kind_of_name("GOMP_barrier"), NameKind::barrier);
  EXPECT_EQ(kind_of_name("__kmpc_copyprivate"), NameKind::barrier);
  EXPECT_EQ(kind_of_name("__kmpc_doacross_wait"), NameKind::waits_for_passes);
  EXPECT_EQ(kind_of_name("GOMP_doacross_wait"), NameKind::waits_for_passes);
  EXPECT_EQ(kind_of_name("GOMP_ordered_start"), NameKind::other);
}

TEST(RegionCodeTest, knows_names_that_share_out_and_that_take) {
  for (const char* name : {"__kmpc_for_static_init_4u", "__kmpc_dispatch_init_8", "__kmpc_single", "__kmpc_masked", "GOMP_loop_ull_dynamic_start",
                           "GOMP_sections2_start", "GOMP_single_start", "omp_get_thread_num_"})
    EXPECT_TRUE(shares_out(name)) << name;
  for (const char* name : {"__kmpc_barrier", "__kmpc_critical", "__kmpc_reduce", "__kmpc_omp_task_alloc", "GOMP_barrier", "GOMP_parallel", "omp_get_wtime"})
    EXPECT_FALSE(shares_out(name)) << name;
  EXPECT_TRUE(takes_one("GOMP_critical_name_start"));
  EXPECT_TRUE(takes_one("pthread_mutex_lock"));
  EXPECT_FALSE(takes_one("pthread_mutex_unlock"));
  EXPECT_FALSE(takes_one("pthread_mutex_lock_of_another"));
}

lane::Instruction decoded(std::initializer_list<std::uint8_t> bytes) {
  static std::uint8_t room[32];
  std::uint8_t* end = room;
  for (std::uint8_t b : bytes) *end++ = b;
  return lane::read_instruction(room, end);
}

// Lengths as objdump gives them.
TEST(RegionInstructionTest, lengths) {
  EXPECT_EQ(decoded({0x90}).length, 1);
  EXPECT_EQ(decoded({0xf3, 0x0f, 0x1e, 0xfa}).length, 4);                              // endbr64
  EXPECT_EQ(decoded({0x48, 0x81, 0xec, 0x88, 0, 0, 0}).length, 7);                     // sub $0x88,%rsp
  EXPECT_EQ(decoded({0x66, 0xc7, 0x44, 0x24, 0x08, 0x34, 0x12}).length, 7);            // movw $0x1234,8(%rsp)
  EXPECT_EQ(decoded({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}).length, 10);                 // movabs
  EXPECT_EQ(decoded({0xf6, 0x05, 1, 0, 0, 0, 0x10}).length, 7);                        // testb $0x10,1(%rip)
  EXPECT_EQ(decoded({0xf6, 0xd8}).length, 2);                                          // neg %al
  EXPECT_EQ(decoded({0xc4, 0xe2, 0x75, 0xb8, 0xc2}).length, 5);                        // vfmadd231ps
  EXPECT_EQ(decoded({0xc4, 0xe3, 0x7d, 0x19, 0xc1, 0x01}).length, 6);                  // vextractf128 $1
  EXPECT_EQ(decoded({0xc5, 0xf8, 0x77}).length, 3);                                    // vzeroupper
  EXPECT_EQ(decoded({0x62, 0xf1, 0x7c, 0x48, 0x10, 0x44, 0x24, 0x01}).length, 8);      // vmovups 64(%rsp),%zmm0
  EXPECT_EQ(decoded({0x0f, 0xba, 0xe0, 0x05}).length, 4);                              // bt $5,%eax
  EXPECT_EQ(decoded({0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}).length, 10);        // nopw
  EXPECT_EQ(decoded({0xe8, 0, 0}).length, 0);                                          // cut off
}

TEST(RegionInstructionTest, kinds) {
  EXPECT_EQ(decoded({0xe8, 0, 0, 0, 0}).kind, lane::Instruction::call);
  EXPECT_EQ(decoded({0x75, 0xfe}).kind, lane::Instruction::jump);
  EXPECT_EQ(decoded({0x0f, 0x85, 0, 0, 0, 0}).kind, lane::Instruction::jump);
  EXPECT_EQ(decoded({0xff, 0x15, 0, 0, 0, 0}).kind, lane::Instruction::call_slot);
  EXPECT_EQ(decoded({0xff, 0xd0}).kind, lane::Instruction::call_unknown);
  EXPECT_EQ(decoded({0xff, 0xe0}).kind, lane::Instruction::jump_unknown);  // a switch, or a tail call
  EXPECT_EQ(decoded({0x48, 0x8d, 0x05, 0, 0, 0, 0}).kind, lane::Instruction::takes_address);
  EXPECT_EQ(decoded({0x48, 0x8b, 0x05, 0, 0, 0, 0}).kind, lane::Instruction::loads_slot);
}

}  // namespace
}  // namespace weir::team
