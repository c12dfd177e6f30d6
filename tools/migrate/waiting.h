// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>

#include <string>

namespace weir::migrate {

// In words, how the function waits for another thread by anything but a future, which blocks the thread that it runs on; "": it
// does not. Locks, conditions, semaphores, latches, barriers, atomics and threads, of std's, of C11's and of POSIX's.
std::string wait_of(const clang::FunctionDecl* called);

}  // namespace weir::migrate
