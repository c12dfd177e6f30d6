// SPDX-License-Identifier: Apache-2.0
#include "base/thread.h"

namespace weir::base {

thread_local constinit Thread thread_record;

__attribute__((noinline)) Thread& self() {
  Thread* record = &thread_record;
  asm volatile("" : "+r"(record));
  return *record;
}

}  // namespace weir::base
