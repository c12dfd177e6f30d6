// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/gomp_below.h"

#include <atomic>

#include "omp_ext/next.h"
#include "sys/loader.h"

namespace weir::omp {
namespace {

enum class Below : int { unknown, libgomp, libomp };

Below look() {
  void* served = next_definition("GOMP_loop_end");
  return served && sys::definition_near(served, "__kmpc_dispatch_init_8u") ? Below::libomp : Below::libgomp;
}

}  // namespace

bool is_over_libomp() {
  static constinit std::atomic<Below> known{Below::unknown};
  Below below = known.load(std::memory_order_relaxed);
  if (below == Below::unknown) known.store(below = look(), std::memory_order_relaxed);
  return below == Below::libomp;
}

}  // namespace weir::omp
