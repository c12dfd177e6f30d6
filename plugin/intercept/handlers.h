// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

// A signal handler of the program runs inside one of a few functions of ours, so that we know when one is running: a
// call made there must go straight to libc. Each function stands for one handler, for ever: what the kernel says is
// installed names the program's handler without a table that could be out of step.
namespace weir::intercept {

using Handler = void (*)(int);

// What to install for `handler`: itself for SIG_DFL and its like, and when more handlers came than there is room for.
Handler stand_in_for(Handler handler);

// The program's handler, given what the kernel has.
Handler handler_behind(Handler installed);

// Looks at what is installed for a signal, and tells the choice of lanes which calls a signal may end.
void note_disposition(int signal);

}  // namespace weir::intercept
