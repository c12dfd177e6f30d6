// SPDX-License-Identifier: Apache-2.0
// Vectors that are made in registers and put into a frame.
#include "lane/vectors.h"

#include <gtest/gtest.h>

#include "lane/instruction.h"

#define CODE(name, text) \
  __asm__(".pushsection .text\n" #name ":\n" text "\n" #name "_end:\n.popsection"); \
  extern "C" const std::uint8_t name[], name##_end[];

CODE(weir_test_twice, "movq %rax, %xmm1\n punpcklqdq %xmm1, %xmm1")
CODE(weir_test_both, "movq %rax, %xmm1\n pxor %xmm2, %xmm2\n mov $1, %eax\n movdqa %xmm1, %xmm3\n punpcklqdq %xmm2, %xmm3")
CODE(weir_test_three, "vmovq %r9, %xmm2\n vpinsrq $1, %r14, %xmm2, %xmm0")
CODE(weir_test_repeated, "vpbroadcastq %rbx, %ymm17")
CODE(weir_test_nothing, "vpxor %xmm4, %xmm4, %xmm4")
CODE(weir_test_something, "vpxor %xmm5, %xmm4, %xmm4")
CODE(weir_test_slots, "movups 0x20(%rsp), %xmm6")
CODE(weir_test_memory, "movups (%rdi), %xmm6")
CODE(weir_test_called, "movq %rax, %xmm1\n call *%rbx")
CODE(weir_test_some, "vmovdqu64 %zmm1, %zmm2{%k1}")
CODE(weir_test_stores, "vmovdqu64 %zmm0, 0x40(%rsp)\n movups %xmm0, 0x10(%rsp)\n movsd %xmm0, 0x10(%rsp)\n vextracti128 $1, %ymm0, 0x20(%rsp)\n"
                       " movq 0x10(%rsp), %xmm0\n vpextrq $1, %xmm0, %rdx\n blsr %rax, %rcx")

namespace weir::lane {
namespace {

Function code_of(const std::uint8_t* begin, const std::uint8_t* end) {
  return {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
}

Made made(Function code, int vector) { return made_of(Places(code), code, vector, code.end); }

#define MADE(name, vector) made(code_of(name, name##_end), vector)

TEST(MadeTest, is_of_registers) {
  Made twice = MADE(weir_test_twice, 1);
  EXPECT_TRUE(twice.known);
  ASSERT_EQ(twice.count, 1);
  EXPECT_EQ(twice.parts[0].place, (Place{rax, false, 0}));
  Made both = MADE(weir_test_both, 3);
  EXPECT_TRUE(both.known);
  ASSERT_EQ(both.count, 1);
  EXPECT_EQ(both.parts[0].place, (Place{rax, false, 0}));
  EXPECT_EQ(both.parts[0].before, reinterpret_cast<std::uintptr_t>(weir_test_both));  // not what rax becomes
  Made three = MADE(weir_test_three, 0);
  EXPECT_TRUE(three.known);
  ASSERT_EQ(three.count, 2);
  EXPECT_EQ(three.parts[0].place, (Place{r14, false, 0}));
  EXPECT_EQ(three.parts[1].place, (Place{r9, false, 0}));
  Made repeated = MADE(weir_test_repeated, 17);
  EXPECT_TRUE(repeated.known);
  ASSERT_EQ(repeated.count, 1);
  EXPECT_EQ(repeated.parts[0].place, (Place{rbx, false, 0}));
}

TEST(MadeTest, is_of_slots_or_of_nothing) {
  Made slots = MADE(weir_test_slots, 6);
  EXPECT_TRUE(slots.known);
  ASSERT_EQ(slots.count, 2);
  EXPECT_EQ(slots.parts[0].place, (Place{rsp, true, 0x20}));
  EXPECT_EQ(slots.parts[1].place, (Place{rsp, true, 0x28}));
  Made nothing = MADE(weir_test_nothing, 4);
  EXPECT_TRUE(nothing.known);
  EXPECT_EQ(nothing.count, 0);
}

TEST(MadeTest, is_not_known) {
  EXPECT_FALSE(MADE(weir_test_something, 4).known);
  EXPECT_FALSE(MADE(weir_test_memory, 6).known);
  EXPECT_FALSE(MADE(weir_test_called, 1).known);
  EXPECT_FALSE(MADE(weir_test_some, 2).known);
  EXPECT_FALSE(MADE(weir_test_twice, 2).known);
}

// Which of a frame's slots an instruction fills.
TEST(PlacesTest, are_changed_by_vectors) {
  Function code = code_of(weir_test_stores, weir_test_stores_end);
  Places places(code);
  std::uintptr_t at = code.begin;
  auto change = [&](const Place& place) {
    return places.change(place, read_instruction(bytes_at(at), bytes_at(code.end)), read_operands(bytes_at(at), bytes_at(code.end))).what;
  };
  auto slot = [](int displacement) { return Place{rsp, true, displacement}; };
  auto next = [&] { at += read_instruction(bytes_at(at), bytes_at(code.end)).length; };
  for (int in : {0x40, 0x48, 0x78}) EXPECT_EQ(change(slot(in)), Change::other) << in;
  for (int beside : {0x1, 0x38, 0x80}) EXPECT_EQ(change(slot(beside)), Change::nothing) << beside;
  next();
  EXPECT_EQ(change(slot(0x18)), Change::other);
  EXPECT_EQ(change(slot(0x20)), Change::nothing);
  next();
  EXPECT_EQ(change(slot(0x10)), Change::other);
  EXPECT_EQ(change(slot(0x18)), Change::nothing);
  next();
  EXPECT_EQ(change(slot(0x28)), Change::other);
  next();
  EXPECT_EQ(change(slot(0x10)), Change::nothing);
  next();
  EXPECT_EQ(change({rdx, false, 0}), Change::other);
  next();
  EXPECT_EQ(change({rcx, false, 0}), Change::other);
  next();
  EXPECT_EQ(at, code.end);
}

}  // namespace
}  // namespace weir::lane
