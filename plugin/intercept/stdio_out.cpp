// SPDX-License-Identifier: Apache-2.0
// stdio's output: counted, and the FILE known to be locked while libc is at it.
#include <stdarg.h>
#include <stdio.h>

#include <cstring>

#include "base/thread.h"
#include "intercept/file_wait.h"
#include "intercept/real.h"
#include "path/ending.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<size_t(const void*, size_t, size_t, FILE*)> real_fwrite{"fwrite"};
WEIR_REAL Real<size_t(const void*, size_t, size_t, FILE*)> real_fwrite_unlocked{"fwrite_unlocked"};
WEIR_REAL Real<int(const char*, FILE*)> real_fputs{"fputs"};
WEIR_REAL Real<int(const char*, FILE*)> real_fputs_unlocked{"fputs_unlocked"};
WEIR_REAL Real<int(const char*)> real_puts{"puts"};
WEIR_REAL Real<int(FILE*)> real_fflush{"fflush"};
WEIR_REAL Real<int(FILE*)> real_fflush_unlocked{"fflush_unlocked"};
WEIR_REAL Real<int(FILE*)> real_fclose{"fclose"};
WEIR_REAL Real<int(FILE*, const char*, va_list)> real_vfprintf{"vfprintf"};
WEIR_REAL Real<int(FILE*, int, const char*, va_list)> real_vfprintf_chk{"__vfprintf_chk"};
WEIR_REAL Real<int(int, const char*, va_list)> real_vdprintf{"vdprintf"};
WEIR_REAL Real<int(int, int, const char*, va_list)> real_vdprintf_chk{"__vdprintf_chk"};

size_t counted(size_t items, size_t size) {
  path::add_bytes_out(items * size);
  return items;
}

int print(FILE* file, const char* format, va_list rest) {
  return output<int>([&] { return real_vfprintf(file, format, rest); });
}
// libtbb speaks by fprintf.
bool is_unheard(FILE* file, const char* format) {
  return file == stderr && base::self().tbb_unheard && !std::strncmp(format, "TBB Warning", 11);
}
int print_checked(FILE* file, int flag, const char* format, va_list rest) {
  return output<int>([&] { return real_vfprintf_chk(file, flag, format, rest); });
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) {
  return counted(output<size_t>(real_fwrite, from, size, count, file), size);
}
size_t fwrite_unlocked(const void* from, size_t size, size_t count, FILE* file) {
  return counted(output<size_t>(real_fwrite_unlocked, from, size, count, file), size);
}
int fputs(const char* text, FILE* file) { return output<int>(real_fputs, text, file); }
int fputs_unlocked(const char* text, FILE* file) { return output<int>(real_fputs_unlocked, text, file); }
int puts(const char* text) { return output<int>(real_puts, text); }
int fflush(FILE* file) { return output<int>(real_fflush, file); }
int fflush_unlocked(FILE* file) { return output<int>(real_fflush_unlocked, file); }
int fclose(FILE* file) {
  if (file) weir::path::number_ends(file->_fileno);
  return output<int>(real_fclose, file);
}

int vfprintf(FILE* file, const char* format, va_list rest) { return print(file, format, rest); }
int vprintf(const char* format, va_list rest) { return print(stdout, format, rest); }
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list rest) {
  return print_checked(file, flag, format, rest);
}
int __vprintf_chk(int flag, const char* format, va_list rest) { return print_checked(stdout, flag, format, rest); }
int vdprintf(int fd, const char* format, va_list rest) {
  return output<int>([&] { return real_vdprintf(fd, format, rest); });
}
int __vdprintf_chk(int fd, int flag, const char* format, va_list rest) {
  return output<int>([&] { return real_vdprintf_chk(fd, flag, format, rest); });
}

int fprintf(FILE* file, const char* format, ...) {
  if (is_unheard(file, format)) return 0;
  va_list rest;
  va_start(rest, format);
  int result = print(file, format, rest);
  va_end(rest);
  return result;
}
int printf(const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = print(stdout, format, rest);
  va_end(rest);
  return result;
}
int __fprintf_chk(FILE* file, int flag, const char* format, ...) {
  if (is_unheard(file, format)) return 0;
  va_list rest;
  va_start(rest, format);
  int result = print_checked(file, flag, format, rest);
  va_end(rest);
  return result;
}
int __printf_chk(int flag, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = print_checked(stdout, flag, format, rest);
  va_end(rest);
  return result;
}
int dprintf(int fd, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = vdprintf(fd, format, rest);
  va_end(rest);
  return result;
}
int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  int result = __vdprintf_chk(fd, flag, format, rest);
  va_end(rest);
  return result;
}

}  // extern "C"
#pragma GCC visibility pop
