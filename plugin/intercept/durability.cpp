// SPDX-License-Identifier: Apache-2.0
// fsync and fdatasync.
#include <unistd.h>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "path/call.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<int(int)> real_fsync{"fsync"};
WEIR_REAL Real<int(int)> real_fdatasync{"fdatasync"};

int synced(int fd, bool data_only, Result (*real)(Call&),
           meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  op::Op operation = op::fsync(fd, data_only);
  Call call{Family::direct};
  call.ends = wait::Ends::never;
  call.fd = fd;
  call.real = real;
  call.operation = &operation;
  return static_cast<int>(deliver(path::run(call, caller)));
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int fsync(int fd) {
  if (path::concerns_us()) return synced(fd, false, [](Call& c) { return outcome(real_fsync(c.fd)); });
  int result = real_fsync(fd);
  path::count_out(0);
  return result;
}

int fdatasync(int fd) {
  if (path::concerns_us()) return synced(fd, true, [](Call& c) { return outcome(real_fdatasync(c.fd)); });
  int result = real_fdatasync(fd);
  path::count_out(0);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
