// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace weir::base {
namespace {

Settings read(std::vector<const char*> environment, const Setting** complaint) {
  environment.push_back(nullptr);
  return read_settings(const_cast<char**>(environment.data()), complaint);
}

TEST(Settings, AreTheDefaultsWhenNothingIsSet) {
  const Setting* complaint = nullptr;
  Settings settings = read({"HOME=/", "WEIRD=1"}, &complaint);
  EXPECT_EQ(complaint, nullptr);
  EXPECT_EQ(settings.lane, Lane::automatic);
  EXPECT_EQ(settings.max_permits, 128);
  EXPECT_FALSE(settings.summary);
}

// The text that help shows and the value that a program gets are two things in the source: they must agree.
TEST(Settings, HaveTheDefaultsThatTheTableShows) {
  for (std::size_t i = 0; i < settings_count; ++i) {
    const Setting& row = settings_table[i];
    Settings shown;
    ASSERT_TRUE(row.read(shown, row.initial)) << row.variable;
    const Settings untouched;
    EXPECT_EQ(shown.lane, untouched.lane) << row.variable;
    EXPECT_EQ(shown.force, untouched.force) << row.variable;
    EXPECT_EQ(shown.threads, untouched.threads) << row.variable;
    EXPECT_EQ(shown.permits, untouched.permits) << row.variable;
    EXPECT_EQ(shown.max_permits, untouched.max_permits) << row.variable;
    EXPECT_EQ(shown.stand_ins, untouched.stand_ins) << row.variable;
    EXPECT_EQ(shown.max_suspended, untouched.max_suspended) << row.variable;
    EXPECT_EQ(shown.stack_kib, untouched.stack_kib) << row.variable;
    EXPECT_EQ(shown.gate_wait_ms, untouched.gate_wait_ms) << row.variable;
    EXPECT_EQ(shown.watchdog_ms, untouched.watchdog_ms) << row.variable;
    EXPECT_EQ(shown.summary, untouched.summary) << row.variable;
    EXPECT_EQ(shown.verbose, untouched.verbose) << row.variable;
    EXPECT_EQ(shown.inherit, untouched.inherit) << row.variable;
    EXPECT_STREQ(shown.algorithm, untouched.algorithm) << row.variable;
  }
}

TEST(Settings, ReadEachForm) {
  const Setting* complaint = nullptr;
  Settings settings = read({"WEIR_LANE=suspend", "WEIR_THREADS=7", "WEIR_SUMMARY=yes", "WEIR_INHERIT=0",
                            "WEIR_REPORT=/tmp/a.json", "WEIR_FORCE=all"}, &complaint);
  EXPECT_EQ(complaint, nullptr);
  EXPECT_EQ(settings.lane, Lane::suspend);
  EXPECT_EQ(settings.threads, 7);
  EXPECT_TRUE(settings.summary);
  EXPECT_FALSE(settings.inherit);
  EXPECT_STREQ(settings.report, "/tmp/a.json");
  EXPECT_EQ(settings.force, Force::all);
}

TEST(Settings, KeepTheDefaultAndNameTheVariableWhenTheTextIsNotOfItsForm) {
  for (const char* wrong : {"WEIR_THREADS=many", "WEIR_THREADS=", "WEIR_THREADS=-1", "WEIR_THREADS=99999999999999",
                            "WEIR_LANE=fast", "WEIR_LANE=", "WEIR_SUMMARY=maybe", "WEIR_FORCE=some", "WEIR_PERMITS=4097",
                            "WEIR_STAND_INS=1000000", "WEIR_MAX_PERMITS=4097", "WEIR_STACK_KIB=1", "WEIR_STACK_KIB=1048577"}) {
    const Setting* complaint = nullptr;
    Settings settings = read({wrong}, &complaint);
    ASSERT_NE(complaint, nullptr) << wrong;
    EXPECT_EQ(std::strncmp(wrong, complaint->variable, std::strlen(complaint->variable)), 0) << wrong;
    EXPECT_EQ(settings.threads, 0);
    EXPECT_EQ(settings.lane, Lane::automatic);
    EXPECT_EQ(settings.max_permits, 128);
    EXPECT_EQ(settings.stack_kib, 0);
  }
}

TEST(Settings, HaveOneRowAVariableAndOneAnOption) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < settings_count; ++i) {
    EXPECT_TRUE(seen.insert(settings_table[i].variable).second) << settings_table[i].variable;
    if (!settings_table[i].option) continue;
    EXPECT_TRUE(seen.insert(settings_table[i].option).second) << settings_table[i].option;
  }
}

TEST(Settings, ListsFindsWholeWordsOnly) {
  EXPECT_TRUE(lists("nowait", "nowait"));
  EXPECT_TRUE(lists("io_uring,nowait", "nowait"));
  EXPECT_FALSE(lists("nowaiting", "nowait"));
  EXPECT_FALSE(lists("op_readv", "op_read"));
  EXPECT_TRUE(lists("op_readv,op_read", "op_read"));
  EXPECT_FALSE(lists("", "nowait"));
}

}  // namespace
}  // namespace weir::base
