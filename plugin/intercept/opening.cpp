// SPDX-License-Identifier: Apache-2.0
// open and kin. A name whose folders and inode the kernel has at hand is opened at once; else the disk is asked, and the
// thread's core goes to others meanwhile. The ring's own open is not used: which folder a relative name begins at, and with
// whose rights it is followed, may be the thread's.
#include <fcntl.h>
#include <stdarg.h>

#include "base/thread.h"
#include "intercept/errno_edge.h"
#include "intercept/open_look.h"
#include "intercept/open_room.h"
#include "intercept/real.h"
#include "path/call.h"
#include "path/habit.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<int(const char*, int, ...)> real_open{"open"};
WEIR_REAL Real<int(int, const char*, int, ...)> real_openat{"openat"};
WEIR_REAL Real<int(const char*, int)> real_open_2{"__open_2"};
WEIR_REAL Real<int(int, const char*, int)> real_openat_2{"__openat_2"};
WEIR_REAL Real<int(const char*, mode_t)> real_creat{"creat"};

struct Opening {
  int directory;
  const char* path;
  int flags;
  mode_t mode;
  mutable bool cold = false;
};

const Opening& opening(const Call& call) { return *static_cast<const Opening*>(call.arguments); }

path::Habit& habit_of(const Opening& it) {
  if (may_make(it.flags)) return path::making_files;
  return it.flags & O_DIRECTORY ? path::opening_folders : path::opening_files;
}

Result attempt_open(Call& call) {
  const Opening& it = opening(call);
  Result result = open_at_hand(it.directory, it.path, it.flags, *call.habit, &it.cold);
  bool told = result >= 0 || result == -EAGAIN || result == -EINTR;
  return told ? result : call.real(call);  // what is wrong, libc says best; an old kernel knows no such look
}

int opened(const Opening& it, Result (*real)(Call&),
           meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  int fd = static_cast<int>(deliver(run_with_room(caller, [&](Call& call) {
    call.attempt = attempt_open;
    call.real = real;
    call.arguments = &it;
    call.habit = &habit_of(it);
    call.works = may_make(it.flags);
    call.name = it.path;
    wait_for_other_end(call, it.directory, it.path, it.flags);
  })));
  if (it.cold && it.flags & O_DIRECTORY && fd >= 0) base::self().cold_folder_fd = fd;
  return fd;
}

int counted(int result) {
  path::count_in(0);
  return result;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (!path::concerns_us()) return counted(real_open(path, flags, mode));
  return opened({AT_FDCWD, path, flags, mode}, [](Call& c) {
    const Opening& it = opening(c);
    return outcome(real_open(it.path, it.flags, it.mode));
  });
}

int openat(int directory, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (has_mode(flags)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (!path::concerns_us()) return counted(real_openat(directory, path, flags, mode));
  return opened({directory, path, flags, mode}, [](Call& c) {
    const Opening& it = opening(c);
    return outcome(real_openat(it.directory, it.path, it.flags, it.mode));
  });
}

int creat(const char* path, mode_t mode) {
  if (!path::concerns_us()) return counted(real_creat(path, mode));
  return opened({AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode}, [](Call& c) {
    const Opening& it = opening(c);
    return outcome(real_creat(it.path, it.mode));
  });
}

// Of fortified programs: abort when a mode is missing.
int __open_2(const char* path, int flags) {
  if (!path::concerns_us() || has_mode(flags)) return counted(real_open_2(path, flags));
  return opened({AT_FDCWD, path, flags, 0}, [](Call& c) {
    const Opening& it = opening(c);
    return outcome(real_open_2(it.path, it.flags));
  });
}

int __openat_2(int directory, const char* path, int flags) {
  if (!path::concerns_us() || has_mode(flags)) return counted(real_openat_2(directory, path, flags));
  return opened({directory, path, flags, 0}, [](Call& c) {
    const Opening& it = opening(c);
    return outcome(real_openat_2(it.directory, it.path, it.flags));
  });
}

int open64(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int __open(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int __open64(const char*, int, ...) __attribute__((nonnull(1), alias("open")));
int openat64(int, const char*, int, ...) __attribute__((alias("openat")));
int creat64(const char*, mode_t) __attribute__((alias("creat")));
int __open64_2(const char*, int) __attribute__((alias("__open_2")));
int __openat64_2(int, const char*, int) __attribute__((alias("__openat_2")));

}  // extern "C"
#pragma GCC visibility pop
