// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <vector>

namespace weir::ring {
namespace {

class RingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    sys::Capabilities can = sys::probe("");
    if (!can.io_uring) GTEST_SKIP() << "no io_uring here: " << can.ring_error;
    ASSERT_EQ(ring_.open(64, can), 0);
  }
  void TearDown() override { ring_.close(); }
  Ring ring_;
};

TEST_F(RingTest, all_that_is_due_comes_in_one_reap) {
  constexpr int many = 150;
  const int event = eventfd(0, EFD_CLOEXEC);
  ASSERT_GE(event, 0);
  static int over;
  over = 0;
  std::vector<op::Request> requests(many);
  for (op::Request& request : requests) {
    request.op = op::poll(event, POLLIN);
    request.done = [](op::Request&) { ++over; };
    ASSERT_EQ(ring_.prepare(request), 0);
  }
  ASSERT_GE(ring_.submit(), 0);
  ring_.reap();
  ASSERT_EQ(over, 0);
  const std::uint64_t one = 1;
  ASSERT_EQ(write(event, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  ASSERT_GE(ring_.submit_and_wait(-1), 0);
  ring_.reap();
  EXPECT_EQ(over, many);
  close(event);
}

}  // namespace
}  // namespace weir::ring
