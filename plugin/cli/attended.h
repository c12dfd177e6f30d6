// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::cli {

// How a program ended that was run as our child.
struct Ending {
  int error = 0;   // it could not be started: errno
  int status = 0;  // as waitpid(2) has it
};

// Runs `start(context)`, which is to exec and whose return is the exit status else, in a child, and stays until that
// ends. Signals sent to this process go on to it, a stop of it stops this one, and it dies if this one is killed.
Ending run_attended(int (*start)(void* context), void* context);

// Ends this process as the other ended: with its exit status, or by its signal.
[[noreturn]] void end_alike(const Ending& ending);

}  // namespace weir::cli
