// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// Where limits stand. Tests have folders of their own.
struct LimitFolders {
  const char* proc = "/proc";
  const char* cgroups = "/sys/fs/cgroup";
};

// Is it certain that `wanted` more threads are within every limit on their number: the kernel's, the user's, and that of each cgroup
// that the process is in? Where something can't be seen (a container's parent, a user namespace), it is not: to know, one has
// to start them.
bool threads_are_within_limits(std::int64_t wanted, const LimitFolders& folders = {});

}  // namespace weir::sys
