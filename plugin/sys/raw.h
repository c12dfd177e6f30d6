// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>

#include "base/result.h"

namespace weir::sys {

// A system call as the kernel takes it: value or -errno, no errno, no cancellation point, no name anybody interposes.
inline Result raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long word(T* pointer) { return reinterpret_cast<long>(pointer); }

}  // namespace weir::sys
