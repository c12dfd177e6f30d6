// SPDX-License-Identifier: Apache-2.0
// flock: a lock that a program may hold while a task of its own waits for a file. (Those of fcntl and lockf are a whole process's, and
// no thread waits for another.)
#include <fcntl.h>

#include <cerrno>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "intercept/slices.h"
#include "intercept/waiting.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(int, int)> real_flock{"flock"};

// The holder may be a task that was set aside on this very thread. The kernel's wait knows no limit, so it is asked again and again, and
// between the others may go on here.
int lock_by_asking(int fd, int operation) {
  int before = current_errno();
  Handlers handlers;
  while (true) {
    int result = real_flock(fd, operation | LOCK_NB);
    if (!result) set_errno(before);
    if (!result || current_errno() != EWOULDBLOCK) return result;
    parked([] { return static_cast<int>(sys::sleep_ns(slice_ns / 4)); }, {"flock", nullptr});
    path::stand_back();
    if (!handlers.end_wait(false)) continue;
    set_errno(EINTR);
    return -1;
  }
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int flock(int fd, int operation) noexcept {
  bool waits = !(operation & LOCK_NB) && operation != LOCK_UN;
  if (!waits) return real_flock(fd, operation);
  if (others_may_be_waited_for(__builtin_return_address(0))) return lock_by_asking(fd, operation);
  return parked([=] { return real_flock(fd, operation); });
}

}  // extern "C"
#pragma GCC visibility pop
