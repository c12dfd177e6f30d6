// SPDX-License-Identifier: Apache-2.0
// The scanf family. Each name comes twice: as C99 has it, which all newer programs call by another name, and as it was.
// (The headers turn the one into the other; here every symbol is named as it is in libc.)
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "intercept/file_wait.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

using Scan = int(FILE*, const char*, va_list);
using WideScan = int(FILE*, const wchar_t*, va_list);
WEIR_REAL Real<Scan> real_vfscanf{"vfscanf"};
WEIR_REAL Real<Scan> real_isoc99_vfscanf{"__isoc99_vfscanf"};
WEIR_REAL Real<WideScan> real_vfwscanf{"vfwscanf"};
WEIR_REAL Real<WideScan> real_isoc99_vfwscanf{"__isoc99_vfwscanf"};

// A va_list is an array here: it travels as what it points to.
template <typename F, typename Text>
[[gnu::always_inline]] inline int scan(const F& real, FILE* file, const Text* format, va_list arguments) {
  meter::Caller caller = {real.name, __builtin_return_address(0)};
  return input_for<int>(caller, file, {1, '\n'}, [&] { return real(file, format, arguments); });
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int old_vfscanf(FILE*, const char*, va_list) asm("vfscanf");
int old_vscanf(const char*, va_list) asm("vscanf");
int old_fscanf(FILE*, const char*, ...) asm("fscanf");
int old_scanf(const char*, ...) asm("scanf");
int new_vfscanf(FILE*, const char*, va_list) asm("__isoc99_vfscanf");
int new_vscanf(const char*, va_list) asm("__isoc99_vscanf");
int new_fscanf(FILE*, const char*, ...) asm("__isoc99_fscanf");
int new_scanf(const char*, ...) asm("__isoc99_scanf");
int old_vfwscanf(FILE*, const wchar_t*, va_list) asm("vfwscanf");
int old_fwscanf(FILE*, const wchar_t*, ...) asm("fwscanf");
int new_vfwscanf(FILE*, const wchar_t*, va_list) asm("__isoc99_vfwscanf");
int new_fwscanf(FILE*, const wchar_t*, ...) asm("__isoc99_fwscanf");

int old_vfscanf(FILE* file, const char* format, va_list rest) { return scan(real_vfscanf, file, format, rest); }
int old_vscanf(const char* format, va_list rest) { return scan(real_vfscanf, stdin, format, rest); }
int new_vfscanf(FILE* file, const char* format, va_list rest) { return scan(real_isoc99_vfscanf, file, format, rest); }
int new_vscanf(const char* format, va_list rest) { return scan(real_isoc99_vfscanf, stdin, format, rest); }
int old_vfwscanf(FILE* file, const wchar_t* format, va_list rest) { return scan(real_vfwscanf, file, format, rest); }
int new_vfwscanf(FILE* file, const wchar_t* format, va_list rest) {
  return scan(real_isoc99_vfwscanf, file, format, rest);
}

int old_fscanf(FILE* file, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_vfscanf, file, format, rest);
  va_end(rest);
  return result;
}
int old_scanf(const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_vfscanf, stdin, format, rest);
  va_end(rest);
  return result;
}
int new_fscanf(FILE* file, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_isoc99_vfscanf, file, format, rest);
  va_end(rest);
  return result;
}
int new_scanf(const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_isoc99_vfscanf, stdin, format, rest);
  va_end(rest);
  return result;
}
int old_fwscanf(FILE* file, const wchar_t* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_vfwscanf, file, format, rest);
  va_end(rest);
  return result;
}
int new_fwscanf(FILE* file, const wchar_t* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = scan(real_isoc99_vfwscanf, file, format, rest);
  va_end(rest);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
