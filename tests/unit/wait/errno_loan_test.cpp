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
  Lender() {
    std::promise<void> opened;
    auto is_open = opened.get_future();
    errno_ = std::async(std::launch::async, [this, &opened] {
      loan = errno_loan_here();
      tid = sys::thread_id();
      put_back_errno(7);
      open_errno();
      opened.set_value();
      go_.get_future().wait();
      close_errno();
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
  ErrnoLoan* loan = nullptr;
  std::int32_t tid = 0;

 private:
  std::promise<void> go_;
  std::future<int> errno_;
};

TEST(ErrnoLoanTest, lends_where_the_thread_has_its_errno) {
  Lender lender;
  ASSERT_NE(lender.loan, nullptr);
  EXPECT_TRUE(borrow_errno(*lender.loan, lender.tid, ECONNRESET));
  EXPECT_EQ(*lender.loan->place, ECONNRESET);
  std::thread([&] { EXPECT_FALSE(borrow_errno(*lender.loan, lender.tid, EAGAIN)) << "it is lent already"; }).join();
  give_errno_back();
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, stays_until_it_was_seen) {
  Lender lender;
  std::promise<void> borrowed, look;
  std::thread borrower([&] {
    ASSERT_TRUE(borrow_errno(*lender.loan, lender.tid, EPIPE));
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
  Lender lender;
  std::thread([&] { EXPECT_TRUE(borrow_errno(*lender.loan, lender.tid, EPIPE)); }).join();
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, is_of_one_thread) {
  Lender lender;
  EXPECT_FALSE(borrow_errno(*lender.loan, lender.tid + 1, EPIPE));
  EXPECT_EQ(lender.let_go(), 7);
}

TEST(ErrnoLoanTest, is_not_to_be_had_while_the_program_runs) {
  ErrnoLoan* loan = errno_loan_here();
  std::thread([loan, tid = sys::thread_id()] { EXPECT_FALSE(borrow_errno(*loan, tid, EPIPE)); }).join();
}

}  // namespace
}  // namespace weir::wait
