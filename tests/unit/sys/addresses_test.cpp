// SPDX-License-Identifier: Apache-2.0
#include "sys/addresses.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::sys {
namespace {

constexpr std::int64_t mib = 1 << 20;

// In a process of its own, with a limit; 0: none.
template <typename Holds>
bool holds_with(int resource, std::int64_t limit, Holds holds) {
  pid_t child = fork();
  if (child == 0) {
    rlimit now{};
    getrlimit(resource, &now);
    if (limit) now.rlim_cur = static_cast<rlim_t>(limit);
    if (setrlimit(resource, &now)) _exit(2);
    _exit(holds() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(AddressesTest, without_a_limit_all_that_is_wanted_is_there) {
  EXPECT_TRUE(holds_with(RLIMIT_AS, 0, [] {
    return !addresses_are_limited() && take_stacks(100'000, 8 * mib) == 100'000 && threads_within_addresses() > 1000;
  }));
}

TEST(AddressesTest, of_a_limit_stacks_have_a_small_part_once) {
  for (int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    EXPECT_TRUE(holds_with(resource, std::int64_t{16'000} * mib, [] {
      return addresses_are_limited() && take_stacks(100, 4 * mib) == 100 && take_stacks(1000, 4 * mib) == 150 &&
             take_stacks(1, 4 * mib) == 0;
    }));
  }
}

TEST(AddressesTest, what_could_not_be_mapped_is_given_back) {
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{16'000} * mib, [] {
    if (take_stacks(250, 4 * mib) != 250) return false;
    give_back_stacks(50, 4 * mib);
    return take_stacks(100, 4 * mib) == 50;
  }));
}

TEST(AddressesTest, stacks_are_small_where_many_would_not_fit) {
  EXPECT_TRUE(holds_with(RLIMIT_AS, 0, [] { return stack_within_addresses(8 * mib) == 8 * mib; }));
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{16'000} * mib, [] { return stack_within_addresses(8 * mib) == 8 * mib; }));
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{2048} * mib, [] { return stack_within_addresses(8 * mib) == 2 * mib; }));
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{100} * mib, [] { return stack_within_addresses(8 * mib) == mib / 4; }));
}

TEST(AddressesTest, a_child_has_a_share_of_its_own) {
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{16'000} * mib, [] {
    if (take_stacks(250, 4 * mib) != 250) return false;
    addresses_after_fork();
    return take_stacks(250, 4 * mib) == 250;
  }));
}

TEST(AddressesTest, threads_are_as_many_as_have_room) {
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{16'000} * mib, [] { return threads_within_addresses() == 13; }));
  EXPECT_TRUE(holds_with(RLIMIT_AS, std::int64_t{1000} * mib, [] { return threads_within_addresses() == 0; }));
}

}  // namespace
}  // namespace weir::sys
