// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace weir::cli {

// As team::leeway_of_what_is_loaded(), of a program that does not run yet: why its teams stay as they are, whatever they
// do; nullptr: they may not, or it can't be told from its files. A program with tasks is another matter: those are set
// aside in any team.
const char* why_teams_stay(const std::vector<std::string>& objects);

}  // namespace weir::cli
