// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::wait {

// The C++ run time keeps per thread which exceptions are caught and how many are in flight. A task that is set aside
// inside a catch block or during unwinding takes that with it.
//
//   ExceptionState own;
//   own.take();       the thread's state moves into `own`; the thread is left as one that handles no exception
//   ... the thread runs something else; perhaps the task goes on on another thread ...
//   own.put_back();   on the thread where the task goes on, whose state must be empty
//
// A program without a C++ run time: both do nothing.
class ExceptionState {
 public:
  void take();
  void put_back() const;
  bool empty() const { return !caught_ && !uncaught_; }

 private:
  void* caught_ = nullptr;
  unsigned uncaught_ = 0;
};

}  // namespace weir::wait
