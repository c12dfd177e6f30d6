// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/list.h"
#include "base/result.h"
#include "sys/likeness.h"

namespace weir::errand {

// A call that only a thread can make, the ring not, made by a thread of ours. Lives in the caller's frame until done() was called.
//
//   send() -> a thread of ours: make(), if it is like the sender -> done(), once
struct Errand : base::Link {
  Result (*make)(Errand&) = nullptr;
  void (*done)(Errand&) = nullptr;  // after it the errand may be gone
  Result result = 0;
  bool made = false;                // else nothing happened: the thread has other rights, or another folder, than the sender
  sys::Likeness sender;
};

// Would send() take one now, as far as can be told?
bool is_free();

// To a thread that has nothing to do, or a new one; none waits for another to be over, which it may never be. False: there is none, and
// done() will not be called.
bool send(Errand& errand);

void after_fork();

}  // namespace weir::errand
