// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

// Between our one error dialect and libc's. Compilers keep the address of errno over a call, and a caller that was
// suspended may wake on another thread: so it is touched only behind these functions, which are never inlined.
namespace weir::intercept {

// -1 with errno set, for a failed result; the value otherwise, errno left alone.
long deliver(Result result);

// What a libc call that returned `value` means: -errno when that is -1.
Result outcome(long value);

int current_errno();
void set_errno(int value);

}  // namespace weir::intercept
