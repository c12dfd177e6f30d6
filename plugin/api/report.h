// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/log.h"

namespace weir::api {

// What a report says that the counters don't.
struct Facts {
  std::int64_t wall_ns = 0;
  bool ring_failed = false;
  bool ended = true;  // false: the process goes on, this is what it did so far
};

// FILE.json of the root process; FILE.1234.json of another.
void name_file(base::Line& name, const char* file);
void name_file_of_child(base::Line& name, const char* file);  // FILE.1234.json whoever this is

// One line on stderr: what was gained, or why not. Processes that the program started speak only where calls waited.
void say_summary(const Facts& facts);

// The report as JSON. `file` names that of the process that was started under weir; other processes of the run get
// theirs beside it, with the process id before the ending. Errors are said, once it has ended, and nothing else happens.
void write_report(const char* file, const Facts& facts);

}  // namespace weir::api
