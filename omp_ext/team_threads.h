// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/thread.h"

// The threads of all teams that are at work, whoever forked them. Each may be of no more than there are cores, and all together of
// more: who spins then may have the core of the one that it waits for.
namespace weir::team {

// The thread forks a team of so many, that is in no team of ours itself; and that is over.
void team_begins_work(base::TeamSeat& seat, std::int64_t threads);
void team_ends_work(base::TeamSeat& seat);

// Are there more of them than cores? Or in the caller's own team, which may be within another. (In a child that was forked while
// others had teams those count on: it spins less.)
bool more_threads_than_cores();

}  // namespace weir::team
