// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::wait {

// A thread's errno, lent to a task. Compilers keep the address of errno over a call, so a call that failed must leave its
// error where the thread on which it was made has its errno. Often the task can't go on there: that thread sleeps, or has
// work enough. But while it is in weir's hands no code of the program's looks at its errno: the error is left there, and the
// thread stays in weir's hands until the task has had the time to see it.
struct alignas(64) ErrnoLoan {
  std::atomic<std::int32_t> tid{0};       // the thread whose errno it is; 0: nobody's
  std::atomic<std::uint32_t> state{0};    // errno_loan.cpp
  std::atomic<std::int32_t> wanted{0};    // by so many tasks
  int* place = nullptr;                   // the thread's errno,
  int own = 0;                            // and what stood there
  std::atomic<std::int32_t> borrower{0};  // who has it now runs on this thread
  std::atomic<std::int64_t> lent_ns{0};   // since that one had computed for so long
};

// The calling thread's own, made when first asked for; nullptr when there are too many.
ErrnoLoan* errno_loan_here();
void errno_loan_ends();  // with the thread
void errno_loans_after_fork();

// Around what a thread does in weir's hands alone: neither the program nor libc. Both may be called as often as you like.
void open_errno();
bool close_errno();  // what was lent comes back first; was it open?
// At a moment at which the thread can stay for a little: a task that wants its errno has it now.
void offer_errno();
// The thread waits: whatever its code wanted to see of a lent errno it has seen.
void give_errno_back();

// Leaves `error` in the errno of thread `tid`, whose loan this is, if that can be now.
bool borrow_errno(ErrnoLoan& loan, std::int32_t tid, int error);

}  // namespace weir::wait
