// SPDX-License-Identifier: Apache-2.0
// Where the preload begins and ends.
#include <stdlib.h>
#include <unistd.h>

#include "api/instance.h"
#include "intercept/real.h"

namespace {

// 101: before every constructor that has no number, ours and others' alike.
__attribute__((constructor(101))) void begin() {
  weir::intercept::resolve_all();
  weir::api::prepare(environ);
  at_quick_exit(weir::api::finish);
}

// After the program's own atexit functions.
__attribute__((destructor)) void end() { weir::api::finish(); }

}  // namespace
