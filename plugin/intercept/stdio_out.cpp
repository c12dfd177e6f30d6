// SPDX-License-Identifier: Apache-2.0
// stdio's output: counted, and the FILE known to be locked while libc is at it.
#include <stdarg.h>
#include <stdio.h>

#include <cstring>

#include "base/thread.h"
#include "intercept/errno_edge.h"
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
WEIR_REAL Real<int(char*, size_t, const char*, va_list)> real_vsnprintf{"vsnprintf"};
WEIR_REAL Real<int(int, const char*, va_list)> real_vdprintf{"vdprintf"};
WEIR_REAL Real<int(int, int, const char*, va_list)> real_vdprintf_chk{"__vdprintf_chk"};

size_t counted(size_t items, size_t size) {
  path::add_bytes_out(items * size);
  return items;
}

// Waits, where libc would, before it has the FILE locked.
template <typename R, typename Writes, typename F, typename... A>
[[gnu::always_inline]] inline R put(const char* name, FILE* file, const Writes& writes, const F& real, A... arguments) {
  return output_when_taken<R>({name, __builtin_return_address(0)}, file, writes, real, arguments...);
}

template <typename F>
[[gnu::always_inline]] inline size_t put_items(const void* from, size_t size, size_t count, FILE* file, const F& real) {
  auto writes = [=] { return has_no_room(file, size * count, std::memchr(from, '\n', size * count)); };
  return counted(put<size_t>(real.name, file, writes, real, from, size, count, file), size);
}
template <typename F>
[[gnu::always_inline]] inline int put_text(const char* text, FILE* file, const F& real) {
  auto writes = [=] { return has_no_room(file, std::strlen(text), std::strchr(text, '\n')); };
  return put<int>(real.name, file, writes, real, text, file);
}
template <typename F>
[[gnu::always_inline]] inline int put_rest(const char* name, FILE* file, const F& real) {
  return put<int>(name, file, [=] { return has_output(file); }, real, file);
}

// How long the text is only libc can tell. (That a line ends in what is put into it, nobody knows.)
bool writes_printed(const FILE* file, const char* format, va_list rest) {
  va_list again;
  va_copy(again, rest);
  int before = current_errno(), bytes = real_vsnprintf(nullptr, 0, format, again);
  va_end(again);
  set_errno(before);
  return bytes > 0 && has_no_room(file, static_cast<size_t>(bytes), std::strchr(format, '\n'));
}

[[gnu::always_inline]] inline int print(FILE* file, const char* format, va_list rest) {
  return put<int>("vfprintf", file, [&] { return writes_printed(file, format, rest); },
                  [&] { return real_vfprintf(file, format, rest); });
}
// libtbb speaks by fprintf.
bool is_unheard(FILE* file, const char* format) {
  return file == stderr && base::self().tbb_unheard && !std::strncmp(format, "TBB Warning", 11);
}
[[gnu::always_inline]] inline int print_checked(FILE* file, int flag, const char* format, va_list rest) {
  return put<int>("vfprintf", file, [&] { return writes_printed(file, format, rest); },
                  [&] { return real_vfprintf_chk(file, flag, format, rest); });
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

size_t fwrite(const void* from, size_t size, size_t count, FILE* file) { return put_items(from, size, count, file, real_fwrite); }
size_t fwrite_unlocked(const void* from, size_t size, size_t count, FILE* file) {
  return put_items(from, size, count, file, real_fwrite_unlocked);
}
int fputs(const char* text, FILE* file) { return put_text(text, file, real_fputs); }
int fputs_unlocked(const char* text, FILE* file) { return put_text(text, file, real_fputs_unlocked); }
int puts(const char* text) {
  return put<int>("puts", stdout, [=] { return has_no_room(stdout, std::strlen(text) + 1, true); }, real_puts, text);
}
int fflush(FILE* file) { return put_rest("fflush", file, real_fflush); }
int fflush_unlocked(FILE* file) { return put_rest("fflush", file, real_fflush_unlocked); }
int fclose(FILE* file) {
  return put_rest("fclose", file, [](FILE* f) {
    if (f) weir::path::number_ends(f->_fileno);
    return real_fclose(f);
  });
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
