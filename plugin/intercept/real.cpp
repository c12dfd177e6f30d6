// SPDX-License-Identifier: Apache-2.0
#include "intercept/real.h"

#include <dlfcn.h>

// The section's bounds, made by the linker.
extern "C" const weir::intercept::Name __start_weir_reals[] __attribute__((visibility("hidden")));
extern "C" const weir::intercept::Name __stop_weir_reals[] __attribute__((visibility("hidden")));

namespace weir::intercept {

void* resolve(const Name& name) {
  void* found = dlsym(RTLD_NEXT, name.name);
  if (found) name.function.store(found, std::memory_order_relaxed);
  return found;
}

void resolve_all() {
  for (const Name* name = __start_weir_reals; name != __stop_weir_reals; ++name) resolve(*name);
}

}  // namespace weir::intercept
