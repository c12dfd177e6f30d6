// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_state.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "sys/valgrind.h"

namespace weir::wait {
namespace {

constexpr std::uintptr_t mask = 0x5555'5555'5555'5555;

// The address of this thread's errno, in a form that nobody looks for.
__attribute__((noinline)) std::uintptr_t masked() { return reinterpret_cast<std::uintptr_t>(&errno) ^ mask; }

// Some of the stack, with errno's address at one place of it, or nowhere.
struct Words {
  static constexpr int count = 64;
  volatile std::uintptr_t at[count] = {};
  void keep(int place) {
    at[place] = masked();
    at[place] = at[place] ^ mask;
  }
  bool keeps() const { return keeps_errno(const_cast<const std::uintptr_t*>(at) + count); }
  const char* byte(int place) const { return reinterpret_cast<const char*>(const_cast<const std::uintptr_t*>(at) + place); }
};

class ErrnoStateTest : public testing::Test {
 protected:
  void SetUp() override {
    if (sys::under_valgrind()) GTEST_SKIP() << "valgrind would tell of each word of a stack that was never written";
  }
};

TEST_F(ErrnoStateTest, finds_the_address_wherever_it_lies) {
  EXPECT_FALSE(Words().keeps());
  for (int place = 0; place < Words::count; ++place) {
    Words words;
    words.keep(place);
    EXPECT_TRUE(words.keeps()) << place;
  }
}

TEST_F(ErrnoStateTest, leaves_out_what_is_to_be_filled) {
  for (int place = 0; place < Words::count; ++place) {
    Words words;
    words.keep(place);
    ToBeFilled filled(words.byte(16), 32 * sizeof(std::uintptr_t));
    EXPECT_EQ(words.keeps(), place < 16 || place >= 48) << place;
  }
}

TEST_F(ErrnoStateTest, leaves_it_out_once) {
  Words words;
  words.keep(20);
  ToBeFilled filled(words.byte(16), 32 * sizeof(std::uintptr_t));
  EXPECT_FALSE(words.keeps());
  EXPECT_TRUE(words.keeps()) << "by then another call's frames may lie there";
}

TEST_F(ErrnoStateTest, leaves_out_nothing_once_it_is_filled) {
  Words words;
  words.keep(20);
  { ToBeFilled filled(words.byte(16), 32 * sizeof(std::uintptr_t)); }
  EXPECT_TRUE(words.keeps());
}

TEST_F(ErrnoStateTest, leaves_out_whole_words_alone) {
  for (int place : {16, 47}) {
    Words words;
    words.keep(place);
    ToBeFilled filled(words.byte(16) + 1, 32 * sizeof(std::uintptr_t) - 2);
    EXPECT_TRUE(words.keeps()) << place;
  }
}

TEST_F(ErrnoStateTest, memory_elsewhere_changes_nothing) {
  static char elsewhere[4096];
  Words words;
  words.keep(20);
  ToBeFilled filled(elsewhere, sizeof elsewhere);
  EXPECT_TRUE(words.keeps());
}

}  // namespace
}  // namespace weir::wait
