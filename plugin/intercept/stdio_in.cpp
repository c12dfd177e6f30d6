// SPDX-License-Identifier: Apache-2.0
// stdio's input of bytes.
#include <stdio.h>

#include "intercept/file_wait.h"
#include "intercept/real.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<size_t(void*, size_t, size_t, FILE*)> real_fread{"fread"};
WEIR_REAL Real<size_t(void*, size_t, size_t, FILE*)> real_fread_unlocked{"fread_unlocked"};
WEIR_REAL Real<size_t(void*, size_t, size_t, size_t, FILE*)> real_fread_chk{"__fread_chk"};
WEIR_REAL Real<size_t(void*, size_t, size_t, size_t, FILE*)> real_fread_unlocked_chk{"__fread_unlocked_chk"};
WEIR_REAL Real<char*(char*, int, FILE*)> real_fgets{"fgets"};
WEIR_REAL Real<char*(char*, int, FILE*)> real_fgets_unlocked{"fgets_unlocked"};
WEIR_REAL Real<char*(char*, size_t, int, FILE*)> real_fgets_chk{"__fgets_chk"};
WEIR_REAL Real<char*(char*, size_t, int, FILE*)> real_fgets_unlocked_chk{"__fgets_unlocked_chk"};
WEIR_REAL Real<int(FILE*)> real_getc{"getc"};
WEIR_REAL Real<int(FILE*)> real_getc_unlocked{"getc_unlocked"};
WEIR_REAL Real<int(FILE*)> real_uflow{"__uflow"};
WEIR_REAL Real<int(FILE*)> real_underflow{"__underflow"};
WEIR_REAL Real<int(FILE*)> real_getw{"getw"};
WEIR_REAL Real<ssize_t(char**, size_t*, int, FILE*)> real_getdelim{"getdelim"};
WEIR_REAL Real<ssize_t(char**, size_t*, FILE*)> real_getline{"getline"};

size_t counted(size_t items, size_t size) {
  path::add_bytes_in(items * size);
  return items;
}
ssize_t counted_line(ssize_t length) {
  if (length > 0) path::add_bytes_in(static_cast<std::uint64_t>(length));
  return length;
}

Reads bytes_of(size_t size, size_t count) { return {size * count, Reads::all}; }
Reads line(int end = '\n') { return {1, static_cast<unsigned char>(end)}; }
// fgets of one byte is the end of a string and no more.
Reads line_of(int size) { return size > 1 ? line() : Reads{0}; }

// One character comes out of the buffer nearly always: then nothing is counted.
[[gnu::always_inline]] inline int one(FILE* file, const Real<int(FILE*)>& real) {
  if (!path::concerns_us() || !wants_more(file, 1)) return real(file);
  return input<int>(file, {1}, real, file);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

size_t fread(void* to, size_t size, size_t count, FILE* file) {
  return counted(input<size_t>(file, bytes_of(size, count), real_fread, to, size, count, file), size);
}
size_t fread_unlocked(void* to, size_t size, size_t count, FILE* file) {
  return counted(input<size_t>(file, bytes_of(size, count), real_fread_unlocked, to, size, count, file), size);
}
size_t __fread_chk(void* to, size_t room, size_t size, size_t count, FILE* file) {
  return counted(input<size_t>(file, bytes_of(size, count), real_fread_chk, to, room, size, count, file), size);
}
size_t __fread_unlocked_chk(void* to, size_t room, size_t size, size_t count, FILE* file) {
  return counted(input<size_t>(file, bytes_of(size, count), real_fread_unlocked_chk, to, room, size, count, file), size);
}

char* fgets(char* to, int size, FILE* file) { return input<char*>(file, line_of(size), real_fgets, to, size, file); }
char* fgets_unlocked(char* to, int size, FILE* file) {
  return input<char*>(file, line_of(size), real_fgets_unlocked, to, size, file);
}
char* __fgets_chk(char* to, size_t room, int size, FILE* file) {
  return input<char*>(file, line_of(size), real_fgets_chk, to, room, size, file);
}
char* __fgets_unlocked_chk(char* to, size_t room, int size, FILE* file) {
  return input<char*>(file, line_of(size), real_fgets_unlocked_chk, to, room, size, file);
}

int getc(FILE* file) { return one(file, real_getc); }
int getchar() { return one(stdin, real_getc); }
int getc_unlocked(FILE* file) { return one(file, real_getc_unlocked); }
int getchar_unlocked() { return one(stdin, real_getc_unlocked); }
// What the inlined forms of these call when the buffer is empty.
int __uflow(FILE* file) { return one(file, real_uflow); }
int __underflow(FILE* file) { return one(file, real_underflow); }
int getw(FILE* file) { return input<int>(file, {sizeof(int), Reads::all}, real_getw, file); }

ssize_t getdelim(char** to, size_t* size, int end, FILE* file) {
  return counted_line(input<ssize_t>(file, line(end), real_getdelim, to, size, end, file));
}
ssize_t getline(char** to, size_t* size, FILE* file) {
  return counted_line(input<ssize_t>(file, line(), real_getline, to, size, file));
}

int fgetc(FILE*) __attribute__((alias("getc")));
int _IO_getc(FILE*) __attribute__((alias("getc")));
int fgetc_unlocked(FILE*) __attribute__((alias("getc_unlocked")));
ssize_t __getdelim(char**, size_t*, int, FILE*) __attribute__((alias("getdelim")));

}  // extern "C"
#pragma GCC visibility pop
