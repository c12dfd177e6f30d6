// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/report/record.h"

namespace weir::cli {

// The page of one run: its processes, the one that was started first. Self-contained HTML.
std::string page_of_run(const std::vector<Record>& processes);

// The page of two runs side by side.
std::string page_of_two(const Record& a, const Record& b);

// Writes all of `content` to a file, or to standard output for "-". "" or what went wrong, in words that name the file;
// what was begun of an ordinary file is removed then.
std::string write_page(const std::string& file, const std::string& content);

}  // namespace weir::cli
