// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace weir::wait {

// A call that succeeds leaves errno as it was. While a task is set aside, others run on its thread and change that
// thread's errno; and it may go on on another one. So the value goes with the task: take it before the switch, put it
// back after, on whatever thread that is. Never inlined: compilers would reuse the first thread's address of errno.
int take_errno();
void put_back_errno(int value);

// The same for a block, and around all that we do for a call: memory and threads come from libc, which says by errno what
// failed.
class KeptErrno {
 public:
  KeptErrno() : value_(take_errno()) {}
  ~KeptErrno() { put_back_errno(value_); }
  // The program's own call within: it finds errno as the program left it, and the program as that call left it.
  template <typename Call>
  auto across(Call call) {
    put_back_errno(value_);
    auto result = call();
    value_ = take_errno();
    return result;
  }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int value_;
};

// Does code that called us keep the address of the calling thread's errno, in a register or on its stack, which ends at `end`? Then it has to
// go on on this thread: compilers ask for that address once, and keep it over calls. (One that nobody uses again may lie there, too.)
bool keeps_errno(const void* end);

// While it lives, somebody is to fill that memory for the code that called us: nothing else is kept there. The next keeps_errno leaves it out,
// and no later one: by then the stack may be another's.
class ToBeFilled {
 public:
  ToBeFilled(const void* from, std::size_t bytes);
  ~ToBeFilled();
  ToBeFilled(const ToBeFilled&) = delete;
  ToBeFilled& operator=(const ToBeFilled&) = delete;
};

}  // namespace weir::wait
