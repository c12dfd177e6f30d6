// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// What an arena was made with.
struct ArenaSize {
  int slots;
  int reserved;  // of these, for threads of the program; 0 where there are several, and nobody asks

  // libtbb has no worker for it, but one as long as there are tasks that were enqueued and have not begun.
  bool is_without_workers() const { return slots <= reserved; }
};

// Of the arena where the calling thread is.
ArenaSize size_here();

}  // namespace weir::tbb
