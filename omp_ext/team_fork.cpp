// SPDX-License-Identifier: Apache-2.0
// Parallel regions in code by clang.
#include <cstdarg>
#include <cstdint>

#include "omp_ext/team.h"
#include "omp_ext/team_real.h"

namespace {

using Microtask = void(std::int32_t*, std::int32_t*, ...);
constinit weir::team::Real<void(void*, std::int32_t, Microtask*, ...)> real_fork_call("__kmpc_fork_call");

}  // namespace

extern "C" __attribute__((visibility("default"))) void __kmpc_fork_call(void* location, std::int32_t count, Microtask* code, ...) {
  void* a[64] = {};
  std::va_list list;
  va_start(list, code);
  for (std::int32_t i = 0; i < count && i < 64; ++i) a[i] = va_arg(list, void*);
  va_end(list);
  weir::omp::before_fork(reinterpret_cast<const void*>(code));
  real_fork_call.get()(location, count, code, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12],
                       a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26], a[27],
                       a[28], a[29], a[30], a[31], a[32], a[33], a[34], a[35], a[36], a[37], a[38], a[39], a[40], a[41]);
  weir::omp::after_fork(reinterpret_cast<const void*>(code));
}
