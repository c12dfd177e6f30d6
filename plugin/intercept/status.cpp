// SPDX-License-Identifier: Apache-2.0
// stat and kin. There is no way to ask without waiting: so they are made as ever and timed, and where they take long of late, as where a
// server is asked each time, the core goes to others meanwhile. (An open file's status is at hand but for the odd time.)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intercept/errno_edge.h"
#include "intercept/open_look.h"
#include "intercept/real.h"
#include "path/call.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<int(const char*, struct stat*)> real_stat{"stat"};
WEIR_REAL Real<int(const char*, struct stat*)> real_lstat{"lstat"};
WEIR_REAL Real<int(int, const char*, struct stat*, int)> real_fstatat{"fstatat"};
WEIR_REAL Real<int(int, const char*, struct stat*)> real_xstat{"__xstat"};
WEIR_REAL Real<int(int, const char*, struct stat*)> real_lxstat{"__lxstat"};
WEIR_REAL Real<int(int, int, const char*, struct stat*, int)> real_fxstatat{"__fxstatat"};
WEIR_REAL Real<int(int, const char*, int, unsigned, struct statx*)> real_statx{"statx"};
WEIR_REAL Real<int(const char*, int)> real_access{"access"};
WEIR_REAL Real<int(int, const char*, int, int)> real_faccessat{"faccessat"};

Result attempt_asking(Call& call) {
  if (takes_long(*call.habit)) return -EAGAIN;
  return call.habit->timed([&call] { return call.real(call); });
}

// Most are passed through while they are short: that costs them nothing.
bool is_to_be_seen() { return path::always_aside.load(std::memory_order_relaxed) || is_to_be_timed(path::asking_names); }

// `ask`: the libc call, as a function of nothing; lives while the call does.
template <typename Ask>
int asked(const char* path, meter::Caller caller, const Ask& ask) {
  if (!path::concerns_us() || !is_to_be_seen()) {
    int result = ask();
    path::count_in(0);
    return result;
  }
  Call call{Family::direct};
  call.attempt = attempt_asking;
  call.real = [](Call& self) { return outcome((*static_cast<const Ask*>(self.arguments))()); };
  call.arguments = &ask;
  call.habit = &path::asking_names;
  call.name = path;
  return static_cast<int>(deliver(path::run(call, caller)));
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#define WEIR_ASKED(call) asked(path, {__func__, __builtin_return_address(0)}, [&] { return call; })

#pragma GCC visibility push(default)
extern "C" {

int stat(const char* path, struct stat* about) noexcept { return WEIR_ASKED(real_stat(path, about)); }
int lstat(const char* path, struct stat* about) noexcept { return WEIR_ASKED(real_lstat(path, about)); }
int fstatat(int folder, const char* path, struct stat* about, int flags) noexcept {
  return WEIR_ASKED(real_fstatat(folder, path, about, flags));
}
int statx(int folder, const char* path, int flags, unsigned mask, struct statx* about) noexcept {
  return WEIR_ASKED(real_statx(folder, path, flags, mask, about));
}
int access(const char* path, int mode) noexcept { return WEIR_ASKED(real_access(path, mode)); }
int faccessat(int folder, const char* path, int mode, int flags) noexcept {
  return WEIR_ASKED(real_faccessat(folder, path, mode, flags));
}

// Of programs built before glibc 2.33.
int __xstat(int version, const char* path, struct stat* about) noexcept { return WEIR_ASKED(real_xstat(version, path, about)); }
int __lxstat(int version, const char* path, struct stat* about) noexcept { return WEIR_ASKED(real_lxstat(version, path, about)); }
int __fxstatat(int version, int folder, const char* path, struct stat* about, int flags) noexcept {
  return WEIR_ASKED(real_fxstatat(version, folder, path, about, flags));
}

int stat64(const char*, struct stat64*) noexcept __attribute__((alias("stat")));
int lstat64(const char*, struct stat64*) noexcept __attribute__((alias("lstat")));
int fstatat64(int, const char*, struct stat64*, int) noexcept __attribute__((alias("fstatat")));
int __xstat64(int, const char*, struct stat64*) noexcept __attribute__((alias("__xstat")));
int __lxstat64(int, const char*, struct stat64*) noexcept __attribute__((alias("__lxstat")));
int __fxstatat64(int, int, const char*, struct stat64*, int) noexcept __attribute__((alias("__fxstatat")));

}  // extern "C"
#pragma GCC visibility pop
