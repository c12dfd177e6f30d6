// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "omp_ext/team_program.h"

namespace weir::team {

// What holds for all teams of this process: how free weir is, and between which sizes.
struct TeamPlan {
  const char* kept_out = nullptr;  // why teams are left alone; nullptr: they are not
  Freedom freedom = Freedom::none;
  bool in_every_region = false;    // the user says so
  bool same_for_all = false;       // that all teams are of one size, whoever forks them; so does the user
  bool picks_thread = false;       // the program does, by its number
  std::int64_t cores = 1;          // a team's size without weir
  std::int64_t widest = 1;         // with stand-ins
  std::int64_t widest_apart_from_files = 1;  // where calls that block need no permit: never less than `widest`
};

// Made when first asked for, on a thread that may call the OpenMP runtime.
const TeamPlan& team_plan();

// The same, made again when objects were loaded since: new code may use teams in new ways.
const TeamPlan& refreshed_team_plan();

// From now on teams are left alone, because of `what` (a literal).
void keep_out(const char* what);

// The calling thread says how large its teams are, by `what`. They are left alone from now on, unless such numbers count cores;
// those of others too, unless they may count on one size already.
void sized_for_good(const char* what);

// What omp_get_max_threads() says: no team is larger.
std::int64_t largest_team(const TeamPlan& plan);

// The calling thread gives back the number that it was told to a weir that may choose sizes as it likes: it says nothing by that.
bool says_what_it_was_told(std::int64_t threads);

// Numbers of threads that the user or the program asked for count cores (WEIR_OMP_COUNT): so many may compute at once, and of
// threads there may be more.
bool numbers_count_cores();

// How many threads the calling thread's next team has without us, as far as no clause says so.
std::int64_t size_without_us(const TeamPlan& plan);

// Can a team of `plan.widest` be started? Tried once. If not, teams are left alone from now on.
bool widest_can_start(const TeamPlan& plan);

// Can a team of so many threads be started? Tried when larger than what was tried before.
bool can_start(std::int64_t size);

}  // namespace weir::team
