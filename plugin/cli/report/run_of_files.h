// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "cli/report/record.h"

namespace weir::cli {

// The processes of one run, the one that was started first. Of very many the busiest are kept, and of many only the
// busiest in full.
struct RunOfFiles {
  std::vector<Record> processes;
  std::vector<std::string> troubles;  // files that could not be read, each in a sentence
};

// Reads the reports, names their call sites. Files that can't be read are passed over.
RunOfFiles read_run(const std::vector<std::string>& files);

// The reports of a run that was told to write to `file`: that one, and FILE.PID.json of its other processes; not those
// that were there before `since`.
std::vector<std::string> files_of_run(const std::string& file, const timespec& since);

}  // namespace weir::cli
