// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>

#include <cstddef>
#include <cstdint>

#include "base/log.h"

namespace weir::api {

// What a report says that the counters don't.
struct Facts {
  std::int64_t wall_ns = 0;
  bool ring_failed = false;
  bool ended = true;  // false: the process goes on, this is what it did so far
};

// The name of a file that a process of the run writes: whole, or not at all, for half a name is another file's.
class FileName {
 public:
  void of(const char* file);
  void of_child(const char* file);    // FILE.1234.json
  void of_process(const char* file);  // FILE.json of the root process; FILE.1234.json of another
  void add(const char* text);
  bool fits() const { return fits_; }
  const char* text() const { return text_; }

 private:
  void add(const char* text, std::size_t length);

  bool fits_ = true;
  std::size_t length_ = 0;
  char text_[PATH_MAX] = {};
};

// The same as FileName::of_process in a line of text, which is empty where that has no room for it.
void name_file(base::Line& name, const char* file);

// One line on stderr: what was gained, or why not. Processes that the program started speak only where calls waited.
void say_summary(const Facts& facts);

// The report as JSON. `file` names that of the process that was started under weir; other processes of the run get
// theirs beside it, with the process id before the ending. Errors are said, once it has ended, and nothing else happens. One thread at a
// time.
void write_report(const char* file, const Facts& facts);

}  // namespace weir::api
