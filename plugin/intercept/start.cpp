// SPDX-License-Identifier: Apache-2.0
// Where the preload begins and ends.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/instance.h"
#include "intercept/real.h"

namespace {

// For WEIR_INHERIT=0: what this program starts will not have us. The list only gets shorter, so it is cut where it stands.
void leave_environment() {
  char* list = getenv("LD_PRELOAD");
  if (!list) return;
  char* end = list;
  for (char* at = list; *at;) {
    std::size_t length = strcspn(at, ": ");
    char* next = at + length;
    bool ours = memmem(at, length, "libweir_preload.so", 18);
    if (!ours) {
      if (end != list) *end++ = ':';
      memmove(end, at, length);
      end += length;
    }
    at = next + strspn(next, ": ");
  }
  *end = 0;
  if (end == list) unsetenv("LD_PRELOAD");
}

// 101: before every constructor that has no number, ours and others' alike.
__attribute__((constructor(101))) void begin() {
  weir::intercept::resolve_all();
  weir::api::prepare(environ);
  if (!weir::api::settings().inherit) leave_environment();
  at_quick_exit(weir::api::finish);
}

// After the program's own atexit functions.
__attribute__((destructor)) void end() { weir::api::finish(); }

}  // namespace
