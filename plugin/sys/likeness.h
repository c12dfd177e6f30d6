// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// With whose rights, and from which folder, a thread finds files. Mostly with those of all of its process; but a thread may have its
// own, by system calls that no libc function makes for all.
struct Likeness {
  std::int32_t thread = 0;
  std::uint64_t rights = 0;  // users, groups, capabilities and what it was forbidden, as one number
  bool known = false;
};

// The calling thread's.
Likeness likeness();

// Would a file system tell the calling thread from that one, which lives? Both see the same folders, mounts and descriptors, have the
// same rights, and make files with the same ones. Where the kernel doesn't say: no.
bool is_like(const Likeness& other);

}  // namespace weir::sys
