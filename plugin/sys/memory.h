// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// Of the machine, of a control group that the process is in, or of its addresses (ulimit -v): of which least is left. What the kernel
// keeps of files counts as left. In bytes.
struct Memory {
  std::int64_t total = 0, left = 0;
  std::int64_t mine = 0;  // what the process has for itself: in no file, and shared with no other
};
Memory memory();

// What the program freed, and malloc keeps for it: of many pieces at once that is much.
void give_back_freed_memory();

// Of /proc/self/cgroup: the group that counts the process's memory.
struct GroupPath {
  char text[256];
  bool of_first_kind;  // cgroups of the first kind, else the second
};
GroupPath group_in(const char* lines);
std::int64_t number_in(const char* lines, const char* name);  // in the line "NAME NUMBER ..."; -1: there is none

}  // namespace weir::sys
