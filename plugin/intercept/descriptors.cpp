// SPDX-License-Identifier: Apache-2.0
// Calls that end and copy descriptors. They keep the program's hands off the few numbers that are ours, and end what is guessed of
// a number.
#include <linux/close_range.h>
#include <unistd.h>

#include "base/thread.h"
#include "gate/connecting.h"
#include "intercept/errno_edge.h"
#include "intercept/open_room.h"
#include "intercept/real.h"
#include "path/call.h"
#include "path/ending.h"
#include "sys/own.h"
#include "wait/lane.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(int)> real_close{"close"};
WEIR_REAL Real<int(int)> real_dup{"dup"};
WEIR_REAL Real<int(int, int)> real_dup2{"dup2"};
WEIR_REAL Real<int(int, int, int)> real_dup3{"dup3"};
WEIR_REAL Real<int(unsigned, unsigned, int)> real_close_range{"close_range"};
WEIR_REAL Real<void(int)> real_closefrom{"closefrom"};

int counted(int result) {
  path::count_in(0);
  return result;
}

// A child of vfork has a table of its own: what it does there is not ours to prevent, nor may ours move.
void make_way(int fd) {
  if (!base::self_unsuspended().engine_depth && sys::is_own(fd)) sys::make_way(fd);
}

// All but ours. Marking, and a table of one's own, are left to the kernel: ours are closed by exec anyway.
int close_all(unsigned first, unsigned last, int flags) {
  if (!flags && first <= last) {
    for (int mine; (mine = sys::next_own(first)) >= 0 && static_cast<unsigned>(mine) <= last; first = mine + 1u) {
      unsigned number = static_cast<unsigned>(mine);
      if (number > first && real_close_range(first, number - 1, 0)) return -1;
      if (number == last) return 0;
    }
  }
  return real_close_range(first, last, flags);
}

// The thread's numbers mean other files from here on than the driver's: calls wait on their own threads.
void numbers_are_its_own() {
  wait::policy.forced.store(false);
  if (wait::policy.best.load() != wait::Lane::suspend) return;
  wait::policy.reason.store(meter::Reason::thread_bound);
  wait::policy.best.store(wait::Lane::park);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int close(int fd) {
  if (sys::is_own(fd)) [[unlikely]] return static_cast<int>(deliver(-EBADF));
  path::number_ends(fd);
  gate::connection_is_old();
  return counted(real_close(fd));
}
int close_range(unsigned first, unsigned last, int flags) noexcept {
  if (!flags) path::numbers_end(first, last);
  int result = counted(close_all(first, last, flags));
  if (!result && (flags & CLOSE_RANGE_UNSHARE)) numbers_are_its_own();
  return result;
}
void closefrom(int first) noexcept {
  unsigned from = first < 0 ? 0 : static_cast<unsigned>(first);
  path::numbers_end(from, ~0u);
  if (counted(close_all(from, ~0u, 0))) real_closefrom(first);
}
int dup(int fd) noexcept {
  return counted(made_with_room([=] { return real_dup(fd); }));
}
int dup2(int fd, int as) noexcept {
  make_way(as);
  if (fd != as) path::number_ends(as);
  return counted(real_dup2(fd, as));
}
int dup3(int fd, int as, int flags) noexcept {
  make_way(as);
  path::number_ends(as);
  return counted(real_dup3(fd, as, flags));
}

int __close(int) __attribute__((alias("close")));
int __dup2(int, int) noexcept __attribute__((alias("dup2")));

}  // extern "C"
#pragma GCC visibility pop
