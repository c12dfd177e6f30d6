// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_loan.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <future>
#include <thread>

#include "base/thread.h"
#include "sys/process.h"
#include "wait/errno_state.h"

namespace weir::wait {
namespace {

// A thread in weir's hands, with errno 7 of its own, until it is let go; gives the errno that it has then.
class Lender {
 public:
  explicit Lender(bool within_libc, int set_by_libc = 0, Result result = 0) : result_(result) {
    std::promise<void> opened;
    auto is_open = opened.get_future();
    errno_ = std::async(std::launch::async, [=, this, &opened] {
      loan = errno_loan_here();
      tid = sys::thread_id();
      put_back_errno(7);
      open_errno(within_libc);
      opened.set_value();
      go_.get_future().wait();
      if (set_by_libc) put_back_errno(set_by_libc);
      close_errno(&result_);
      int left = take_errno();
      errno_loan_ends();
      return left;
    });
    is_open.wait();
  }
  int let_go() {
    go_.set_value();
    return errno_.get();
  }
  Result result() const { return result_; }
  ErrnoLoan* loan = nullptr;
  std::int32_t tid = 0;

 private:
  Result result_;
  std::promise<void> go_;
  std::future<int> errno_;
};

TEST(ErrnoLoanTest, lends_where_the_thread_has_its_errno) {
  Lender lender(false);
  ASSERT_NE(lender.loan, nullptr);
  EXPECT_TRUE(borrow_errno(*lender.loan, lender.tid, ECONNRESET, false));
  EXPECT_EQ(*lender.loan->place, ECONNRESET);
  std::thread([&] { EXPECT_FALSE(borrow_errno(*lender.loan, lender.tid, EAGAIN, true)) << "it is lent already"; }).join();
  give_errno_back();
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, stays_until_it_was_seen) {
  Lender lender(false);
  std::promise<void> borrowed, look;
  std::thread borrower([&] {
    ASSERT_TRUE(borrow_errno(*lender.loan, lender.tid, EPIPE, false));
    borrowed.set_value();
    look.get_future().wait();  // neither computes nor waits in weir's hands
    EXPECT_EQ(*lender.loan->place, EPIPE);
    give_errno_back();
  });
  borrowed.get_future().wait();
  auto left = std::async(std::launch::async, [&] { return lender.let_go(); });
  EXPECT_EQ(left.wait_for(std::chrono::milliseconds(30)), std::future_status::timeout);
  look.set_value();
  EXPECT_EQ(left.get(), 7);
  borrower.join();
}

TEST(ErrnoLoanTest, a_borrower_that_is_gone_has_seen_it) {
  Lender lender(false);
  std::thread([&] { EXPECT_TRUE(borrow_errno(*lender.loan, lender.tid, EPIPE, false)); }).join();
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, is_of_one_thread) {
  Lender lender(false);
  EXPECT_FALSE(borrow_errno(*lender.loan, lender.tid + 1, EPIPE, true));
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, is_not_to_be_had_while_the_program_runs) {
  ErrnoLoan* loan = errno_loan_here();
  std::thread([loan, tid = sys::thread_id()] { EXPECT_FALSE(borrow_errno(*loan, tid, EPIPE, true)); }).join();
}

TEST(ErrnoLoanTest, within_libc_only_if_need_be) {
  Lender lender(true);
  EXPECT_FALSE(borrow_errno(*lender.loan, lender.tid, EPIPE, false));
  EXPECT_TRUE(borrow_errno(*lender.loan, lender.tid, EPIPE, true));
  give_errno_back();
  EXPECT_EQ(lender.let_go(), 7);
}

// Its own call fails after that, or before with the error overwritten: it has its own error in the end.
TEST(ErrnoLoanTest, a_call_of_its_own_that_fails_has_its_error) {
  Lender later(true, EINTR, -EINTR);
  EXPECT_TRUE(borrow_errno(*later.loan, later.tid, EPIPE, true));
  give_errno_back();
  EXPECT_EQ(later.let_go(), EINTR);
  EXPECT_EQ(later.result(), -EINTR);

  Lender before(true, 0, -EPIPE);  // read after it was lent
  put_back_errno(0);
  *before.loan->place = ENOMEM;
  std::thread([&] { EXPECT_TRUE(borrow_errno(*before.loan, before.tid, EPIPE, true)); }).join();
  EXPECT_EQ(before.let_go(), ENOMEM);
  EXPECT_EQ(before.result(), -ENOMEM);
}

TEST(ErrnoLoanTest, an_error_of_its_own_stays_where_nobody_borrowed) {
  Lender lender(true, ENOENT, -ENOENT);
  EXPECT_EQ(lender.let_go(), ENOENT);
  EXPECT_EQ(lender.result(), -ENOENT);
}

}  // namespace
}  // namespace weir::wait
