// SPDX-License-Identifier: Apache-2.0
#include "path/beside.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>

#include "errand/errand.h"
#include "sys/process.h"
#include "tests/unit/path/run_fixture.h"

namespace weir::path {
namespace {

class BesideTest : public RunTest {
 protected:
  void SetUp() override {
    RunTest::SetUp();
    errand::after_fork();  // no thread of ours is there yet
    call_.real = [](Call&) -> Result {
      errno = EDOM;
      made_by = sys::thread_id();
      return 7;
    };
    made_by = 0;
    errno = ERANGE;
  }
  static std::int32_t made_by;
  Call call_{Family::direct};
  Result result_ = 0;
};
std::int32_t BesideTest::made_by;

TEST_F(BesideTest, another_thread_makes_it_and_errno_stays) {
  ASSERT_TRUE(made_beside(call_, &result_));
  EXPECT_EQ(errno, ERANGE);
  EXPECT_EQ(result_, 7);
  EXPECT_NE(made_by, sys::thread_id());
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__  // which end where they get no memory
TEST_F(BesideTest, errno_stays_where_no_thread_is_to_be_had) {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlimit none{1 << 20, before.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  errno = ERANGE;
  bool made = made_beside(call_, &result_);
  int seen = errno;
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(seen, ERANGE);
  EXPECT_EQ(made, made_by != 0);  // libc may have kept a stack
}
#endif

}  // namespace
}  // namespace weir::path
