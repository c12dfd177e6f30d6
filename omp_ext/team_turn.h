// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "omp_ext/team_plan.h"

namespace weir::team {

// One region with stand-ins at a time, and those of one thread: a team's threads were tried out for one, and libomp has and keeps some
// for each thread that forks teams. False: the calling thread may fork none larger than without us now. Teams that must be of one size
// go on.
bool begin_wide_team(const TeamPlan& plan);
void end_wide_team();

// So where all teams are of one size it is the large one for the first thread that forks some; any other has them as without us.
// True: it is such another one, and from now on chooses its teams' sizes.
bool is_root_beside_first(const TeamPlan& plan);

}  // namespace weir::team
