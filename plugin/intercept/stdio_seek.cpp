// SPDX-License-Identifier: Apache-2.0
// fseek and kin. Beyond what is in the FILE's buffer libc does not only seek, it reads the block that the place lies in: so who goes
// from record to record waits here, and finds in fread what is there already.
#include <stdio.h>

#include "base/thread.h"
#include "intercept/file_wait.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(FILE*, long, int)> real_fseek{"fseek"};
WEIR_REAL Real<int(FILE*, off_t, int)> real_fseeko{"fseeko"};
WEIR_REAL Real<int(FILE*, const fpos_t*)> real_fsetpos{"fsetpos"};

// What libc calls where it reads nothing (fopencookie) must know all the same that the FILE is locked.
template <typename F, typename... A>
[[gnu::always_inline]] inline int sought(FILE* file, off_t by, int from, const F& real, A... arguments) {
  if (!path::concerns_us()) return real(file, arguments...);
  int result;
  auto body = [&] { result = real(file, arguments...); };
  const Block block = read_to_seek(file, by, from);
  if (!block.bytes) {
    ++base::self().lock_depth;
    body();
    --base::self().lock_depth;
    return result;
  }
  FileCall call{file, {block.bytes}, [](FileCall& c) { (*static_cast<decltype(body)*>(c.arguments))(); }, &body, block.at};
  call.caller = {real.name, __builtin_return_address(0)};
  wait_and_run(call);
  return result;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int fseek(FILE* file, long by, int from) { return sought(file, by, from, real_fseek, by, from); }
int fseeko(FILE* file, off_t by, int from) { return sought(file, by, from, real_fseeko, by, from); }
int fsetpos(FILE* file, const fpos_t* to) { return sought(file, to->__pos, SEEK_SET, real_fsetpos, to); }

int fseeko64(FILE*, off64_t, int) __attribute__((alias("fseeko")));
int fsetpos64(FILE*, const fpos64_t*) __attribute__((alias("fsetpos")));

}  // extern "C"
#pragma GCC visibility pop
