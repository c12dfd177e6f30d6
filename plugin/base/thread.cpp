// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

namespace weir::base {

thread_local constinit Thread thread_record;

__attribute__((noinline)) Thread& self() {
  Thread* record = &thread_record;
  asm volatile("" : "+r"(record));
  return *record;
}

bool in_signal_handler() {
  Thread& thread = self();
  if (!thread.signal_depth) return false;
  if (__builtin_frame_address(0) < thread.signal_frame) return true;
  thread.signal_depth = 0;
  return false;
}

}  // namespace weir::base
