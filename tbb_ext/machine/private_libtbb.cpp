// SPDX-License-Identifier: Apache-2.0
// Libraries with a libtbb of their own, in a program without one (sys/entries.h): one libtbb is served, the arenas of another know
// nothing of it.
#include "base/names.h"
#include "sys/entries.h"
#include "tbb_ext/machine/entry.h"

// libtbb has it, and weir has not: is one among what the program began with?
extern "C" __attribute__((weak)) int TBB_runtime_interface_version();

namespace weir::tbb {
namespace {

bool is_libtbbs(const char* name) { return base::starts(name, "_ZN3tbb6detail2r1"); }

// The adapter beside a libtbb that is served under another name is linked to one that is not.
bool is_another(void* own, const void* caller) {
  look_for_libtbb();
  return !from_libtbb(own) && !from_adapter(caller);
}

constexpr sys::Runtime runtime{is_libtbbs, "TBB_runtime_interface_version", is_another};

__attribute__((constructor(101))) void begin() {
  if (!TBB_runtime_interface_version) sys::put_entries_in_front(runtime);
}

}  // namespace
}  // namespace weir::tbb
