// SPDX-License-Identifier: Apache-2.0
#include "sys/at_fork.h"

#include <dlfcn.h>

// What libc knows this object by: unloaded, it is not called any more.
extern "C" [[gnu::visibility("hidden")]] void* __dso_handle;

namespace weir::sys {

void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  using Register = int(void (*)(), void (*)(), void (*)(), void*);
  auto* registers = reinterpret_cast<Register*>(dlsym(RTLD_NEXT, "__register_atfork"));
  if (registers) registers(before, in_parent, in_child, &__dso_handle);
}

}  // namespace weir::sys
