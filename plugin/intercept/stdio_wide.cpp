// SPDX-License-Identifier: Apache-2.0
// stdio's input of wide characters.
#include <stdio.h>
#include <wchar.h>

#include "intercept/file_wait.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<wint_t(FILE*)> real_getwc{"getwc"};
WEIR_REAL Real<wint_t(FILE*)> real_getwc_unlocked{"getwc_unlocked"};
WEIR_REAL Real<wint_t(FILE*)> real_wuflow{"__wuflow"};
WEIR_REAL Real<wint_t(FILE*)> real_wunderflow{"__wunderflow"};
WEIR_REAL Real<wchar_t*(wchar_t*, int, FILE*)> real_fgetws{"fgetws"};
WEIR_REAL Real<wchar_t*(wchar_t*, int, FILE*)> real_fgetws_unlocked{"fgetws_unlocked"};
WEIR_REAL Real<wchar_t*(wchar_t*, size_t, int, FILE*)> real_fgetws_chk{"__fgetws_chk"};
WEIR_REAL Real<wchar_t*(wchar_t*, size_t, int, FILE*)> real_fgetws_unlocked_chk{"__fgetws_unlocked_chk"};

[[gnu::always_inline]] inline wint_t one(FILE* file, const Real<wint_t(FILE*)>& real) {
  if (!weir::path::concerns_us() || !wants_more(file, 1)) return real(file);
  return input<wint_t>(file, {1}, real, file);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

wint_t getwc(FILE* file) { return one(file, real_getwc); }
wint_t getwchar() { return one(stdin, real_getwc); }
wint_t getwc_unlocked(FILE* file) { return one(file, real_getwc_unlocked); }
wint_t getwchar_unlocked() { return one(stdin, real_getwc_unlocked); }
wint_t __wuflow(FILE* file) { return one(file, real_wuflow); }
wint_t __wunderflow(FILE* file) { return one(file, real_wunderflow); }

wchar_t* fgetws(wchar_t* to, int size, FILE* file) { return input<wchar_t*>(file, {size > 1 ? 1u : 0u}, real_fgetws, to, size, file); }
wchar_t* fgetws_unlocked(wchar_t* to, int size, FILE* file) {
  return input<wchar_t*>(file, {size > 1 ? 1u : 0u}, real_fgetws_unlocked, to, size, file);
}
wchar_t* __fgetws_chk(wchar_t* to, size_t room, int size, FILE* file) {
  return input<wchar_t*>(file, {size > 1 ? 1u : 0u}, real_fgetws_chk, to, room, size, file);
}
wchar_t* __fgetws_unlocked_chk(wchar_t* to, size_t room, int size, FILE* file) {
  return input<wchar_t*>(file, {size > 1 ? 1u : 0u}, real_fgetws_unlocked_chk, to, room, size, file);
}

wint_t fgetwc(FILE*) __attribute__((alias("getwc")));
wint_t fgetwc_unlocked(FILE*) __attribute__((alias("getwc_unlocked")));

}  // extern "C"
#pragma GCC visibility pop
