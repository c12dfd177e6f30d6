// SPDX-License-Identifier: Apache-2.0
// Calls that make and end descriptors. What a descriptor is, we ask the kernel at each call, and never remember: so these
// are counted only, and keep the program's hands off the few numbers that are ours.
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/thread.h"
#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "path/call.h"
#include "sys/own.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<int(const char*, int, ...)> real_open{"open"};
WEIR_REAL Real<int(int, const char*, int, ...)> real_openat{"openat"};
WEIR_REAL Real<int(const char*, int)> real_open_2{"__open_2"};
WEIR_REAL Real<int(int, const char*, int)> real_openat_2{"__openat_2"};
WEIR_REAL Real<int(const char*, mode_t)> real_creat{"creat"};
WEIR_REAL Real<int(int)> real_close{"close"};
WEIR_REAL Real<int(int)> real_dup{"dup"};
WEIR_REAL Real<int(int, int)> real_dup2{"dup2"};
WEIR_REAL Real<int(int, int, int)> real_dup3{"dup3"};
WEIR_REAL Real<int(unsigned, unsigned, int)> real_close_range{"close_range"};
WEIR_REAL Real<void(int)> real_closefrom{"closefrom"};

int counted(int result) {
  path::count_in(0);
  return result;
}

// A child of vfork has a table of its own: what it does there is not ours to prevent, nor may ours move.
void make_way(int fd) {
  if (!base::self_unsuspended().engine_depth && sys::is_own(fd)) sys::make_way(fd);
}

// All but ours. Marking, and a table of one's own, are left to the kernel: ours are closed by exec anyway.
int close_all(unsigned first, unsigned last, int flags) {
  if (!flags && first <= last) {
    for (int mine; (mine = sys::next_own(first)) >= 0 && static_cast<unsigned>(mine) <= last; first = mine + 1u) {
      unsigned number = static_cast<unsigned>(mine);
      if (number > first && real_close_range(first, number - 1, 0)) return -1;
      if (number == last) return 0;
    }
  }
  return real_close_range(first, last, flags);
}

// The caller gave a mode only when the flags ask for one.
bool has_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  if (!has_mode(flags)) return counted(real_open(path, flags));
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return counted(real_open(path, flags, mode));
}

int openat(int directory, const char* path, int flags, ...) {
  if (!has_mode(flags)) return counted(real_openat(directory, path, flags));
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return counted(real_openat(directory, path, flags, mode));
}

int creat(const char* path, mode_t mode) { return counted(real_creat(path, mode)); }

// Of fortified programs: abort when a mode is missing.
int __open_2(const char* path, int flags) { return counted(real_open_2(path, flags)); }
int __openat_2(int directory, const char* path, int flags) { return counted(real_openat_2(directory, path, flags)); }

int close(int fd) {
  if (sys::is_own(fd)) [[unlikely]] return static_cast<int>(deliver(-EBADF));
  return counted(real_close(fd));
}
int close_range(unsigned first, unsigned last, int flags) noexcept { return counted(close_all(first, last, flags)); }
void closefrom(int first) noexcept {
  if (counted(close_all(first < 0 ? 0 : static_cast<unsigned>(first), ~0u, 0))) real_closefrom(first);
}
int dup(int fd) noexcept { return counted(real_dup(fd)); }
int dup2(int fd, int as) noexcept {
  make_way(as);
  return counted(real_dup2(fd, as));
}
int dup3(int fd, int as, int flags) noexcept {
  make_way(as);
  return counted(real_dup3(fd, as, flags));
}

int open64(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int __open(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int __open64(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
int creat64(const char*, mode_t) __attribute__((alias("creat")));
int __open64_2(const char*, int) __attribute__((alias("__open_2")));
int __openat64_2(int, const char*, int) __attribute__((alias("__openat_2")));
int __close(int) __attribute__((alias("close")));
int __dup2(int, int) noexcept __attribute__((alias("dup2")));

}  // extern "C"
#pragma GCC visibility pop
