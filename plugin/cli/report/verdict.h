// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/report/record.h"

namespace weir::cli {

// One sentence on a run of one or more processes: what was gained, or why nothing was and what to do about it.
std::string verdict(const std::vector<Record>& run);

// One sentence on two runs: which was faster, by how much, and what differed.
std::string verdict(const Record& a, const Record& b);

// "command with its arguments", cut where it is long.
std::string command_of(const Record& record);

}  // namespace weir::cli
