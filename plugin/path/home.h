// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "wait/errno_loan.h"
#include "weir/runtime.h"

namespace weir::path {

// The thread on which a task makes a call, that it may return from on another one.
struct Home {
  std::int32_t tid;
  wait::ErrnoLoan* loan;
};
Home home_here();

// Back to that thread, if it comes by now.
void go_home(const Home& home, const weir_runtime& runtime);

// The call failed. Compilers keep the address of errno over a call: its error must be found where that thread has its errno,
// by going on there or by having it lent.
void fail_at(const Home& home, Result result, const weir_runtime& runtime);

}  // namespace weir::path
