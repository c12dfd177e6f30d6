// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread.h"

// The locks that are held by what runs on this thread: a hint for the choice of a lane, so an unlock by another thread than the
// locker's may not make it negative. Plain: one that knows no thread (see Thread::plain_locks).
namespace weir::base {

inline void took_lock(bool plain) {
  Thread& thread = self_unsuspended();
  if (!thread.lock_depth++) thread.row_end_ns = 0;  // what waits with it has waited for nothing yet
  thread.plain_locks += plain;
}

// True: it was the last.
inline bool gave_lock(bool plain) {
  Thread& thread = self_unsuspended();
  if (thread.lock_depth <= 0) return false;
  if (plain && thread.plain_locks > 0) --thread.plain_locks;
  return --thread.lock_depth == 0;
}

}  // namespace weir::base
