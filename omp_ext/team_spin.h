// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/thread.h"
#include "omp_ext/team.h"

namespace weir::team {

// libomp's threads stop spinning by themselves while there are more of them than cores, but those that a team leaves over
// go on for their time when the next, smaller one begins. So their time is 0 from the start. Where the user set a time, we
// are kept out or it is 0.
void stop_spinning(base::TeamSeat& seat);

// A team as without us is about to run, of `asked` threads (0: nobody said how many).
void spin_less(base::TeamSeat& seat, omp::Compiler by, int asked);

// The team is over: for the next one the program's own time holds.
void spin_again(base::TeamSeat& seat);

}  // namespace weir::team
