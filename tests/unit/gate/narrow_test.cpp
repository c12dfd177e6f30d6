// SPDX-License-Identifier: Apache-2.0
#include "gate/narrow.h"

#include <gtest/gtest.h>

#include "gate/gate.h"

namespace weir::gate {
namespace {

struct NarrowTest : testing::Test {
  std::int64_t limit = the_gate.cores.limit(), spare = the_gate.cores.spare();
  NarrowTest() { the_gate.cores.set_limit(4, 12); }
  ~NarrowTest() override { the_gate.cores.set_limit(limit, spare); }
};

TEST_F(NarrowTest, fewer_compute_meanwhile_however_short_their_pieces_are) {
  for (int i = 0; i < 1000; ++i) the_gate.pieces.add(1000);
  ASSERT_TRUE(the_gate.pieces.are_short());
  narrow_to(2);
  EXPECT_EQ(the_gate.cores.limit(), 2);
  EXPECT_EQ(the_gate.cores.spare(), 0);
  EXPECT_FALSE(the_gate.pieces.are_short());
  narrow_to(3);
  as_wide_as_before();
  EXPECT_EQ(the_gate.cores.limit(), 4);
  EXPECT_EQ(the_gate.cores.spare(), 12);
  EXPECT_TRUE(the_gate.pieces.are_short());
}

TEST_F(NarrowTest, more_than_there_are_changes_nothing) {
  narrow_to(4);
  EXPECT_EQ(the_gate.cores.spare(), 12);
  as_wide_as_before();
  EXPECT_EQ(the_gate.cores.limit(), 4);
  EXPECT_EQ(the_gate.cores.spare(), 12);
}

}  // namespace
}  // namespace weir::gate
