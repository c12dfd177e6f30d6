// SPDX-License-Identifier: Apache-2.0
// Loops as several compilers make them, at several levels.
#include "lane/loop.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "lane/instruction.h"

namespace weir::lane {
namespace {

// What ends the loops where the function calls weir_test_take(), which nobody has: compilers may have made one call more.
LoopEnd end_of_loops(const Object& object, Function function) {
  LoopEnd worst = LoopEnd::no_loop;
  int calls = 0;
  auto* end = reinterpret_cast<const std::uint8_t*>(function.end);
  for (std::uintptr_t at = function.begin; at < function.end;) {
    Instruction i = read_instruction(reinterpret_cast<const std::uint8_t*>(at), end);
    std::uintptr_t slot = i.kind == Instruction::call_slot ? i.target : i.kind == Instruction::call ? object.slot_of_stub(i.target) : 0;
    const char* name = slot ? object.name_of_slot(slot) : nullptr;
    if (name && !std::strcmp(name, "weir_test_take")) worst = std::max(worst, end_of_loop_around(function, at)), ++calls;
    at += i.length ? i.length : 1;
  }
  EXPECT_GT(calls, 0);
  return worst;
}

class LoopTest : public testing::TestWithParam<const char*> {
 protected:
  void* library_ = dlopen((LANE_OBJECTS_FOLDER + std::string("/loops_") + GetParam() + ".so").c_str(), RTLD_LAZY);

  LoopEnd end_of(const char* name) {
    void* code = library_ ? dlsym(library_, name) : nullptr;
    EXPECT_NE(code, nullptr) << name;
    if (!code) return LoopEnd::no_loop;
    Object object = Object::around(reinterpret_cast<std::uintptr_t>(code));
    return end_of_loops(object, object.starting_at(reinterpret_cast<std::uintptr_t>(code)));
  }
  void TearDown() override {
    if (library_) dlclose(library_);
  }
};

TEST_P(LoopTest, that_end_by_a_count_are_told) {
  for (const char* name : {"counted_up", "counted_down", "counted_in_steps", "counted_by_pointer", "counted_by_constant",
                           "counted_with_a_way_out", "counted_within_counted", "counted_crowded"})
    EXPECT_EQ(end_of(name), LoopEnd::by_count) << name;
}

TEST_P(LoopTest, that_end_where_nothing_is_left_are_told) {
  for (const char* name : {"open_while", "open_for_ever", "open_by_shared_counter", "open_by_shared_counter_first", "open_within_counted",
                           "open_and_gathers", "open_server"})
    EXPECT_EQ(end_of(name), LoopEnd::by_what_it_finds) << name;
}

TEST_P(LoopTest, none_is_none) { EXPECT_EQ(end_of("straight"), LoopEnd::no_loop); }

INSTANTIATE_TEST_SUITE_P(As, LoopTest, testing::Values(LANE_LOOPS), [](const auto& info) { return std::string(info.param); });

TEST(LoopTakesTest, a_number) {
  auto takes = [](std::initializer_list<std::uint8_t> bytes) {
    std::uint8_t room[16] = {};
    std::copy(bytes.begin(), bytes.end(), room);
    return takes_number(room, room + bytes.size());
  };
  EXPECT_TRUE(takes({0xf0, 0x0f, 0xc1, 0x07}));         // lock xadd %eax,(%rdi)
  EXPECT_TRUE(takes({0xf0, 0x48, 0x0f, 0xc1, 0x07}));   // lock xadd %rax,(%rdi)
  EXPECT_FALSE(takes({0xf0, 0x48, 0x0f, 0xb1, 0x0f}));  // lock cmpxchg %rcx,(%rdi): tried until it works
  EXPECT_FALSE(takes({0x0f, 0xc1, 0xc3}));              // xadd %eax,%ebx
  EXPECT_FALSE(takes({0xf0, 0xff, 0x07}));              // lock incl (%rdi)
}

}  // namespace
}  // namespace weir::lane
