// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/next.h"

namespace weir::tbb {

long libc_result(Result result) {
  if (!failed(result)) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace weir::tbb
