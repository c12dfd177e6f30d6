// SPDX-License-Identifier: Apache-2.0
// Folders. One whose name the kernel has not at hand is mostly not read either, so the disk is asked for both while the
// thread's core goes to others: by opendir, and by the first readdir. (Later ones, of a large folder, nobody sees wait.)
#include <dirent.h>
#include <fcntl.h>

#include <cerrno>

#include "base/thread.h"
#include "intercept/errno_edge.h"
#include "intercept/open_look.h"
#include "intercept/open_room.h"
#include "intercept/real.h"
#include "path/call.h"
#include "path/habit.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<DIR*(const char*)> real_opendir{"opendir"};
WEIR_REAL Real<DIR*(int)> real_fdopendir{"fdopendir"};
WEIR_REAL Real<dirent*(DIR*)> real_readdir{"readdir"};

struct Opening {
  const char* path;
  DIR* stream = nullptr;
  bool cold = false;
};
Opening& opening(Call& call) { return *static_cast<Opening*>(const_cast<void*>(call.arguments)); }

Result open_folder(Call& call) {
  Opening& it = opening(call);
  it.stream = real_opendir(it.path);
  return it.stream ? 0 : -current_errno();
}

// Opened as libc does.
Result attempt_folder(Call& call) {
  Opening& it = opening(call);
  Result fd = open_at_hand(AT_FDCWD, it.path, O_RDONLY | O_NDELAY | O_DIRECTORY | O_CLOEXEC, *call.habit, &it.cold);
  if (fd == -EAGAIN || fd == -EINTR) return fd;
  if (failed(fd)) return open_folder(call);  // what is wrong, libc says best; an old kernel knows no such look
  it.stream = real_fdopendir(static_cast<int>(fd));
  if (it.stream) return 0;
  int error = current_errno();
  sys::close(static_cast<int>(fd));
  return -error;
}

struct Reading {
  DIR* stream;
  dirent* entry = nullptr;
};

// At the end errno stays as it was.
Result read_folder(Call& call) {
  auto& it = *static_cast<Reading*>(const_cast<void*>(call.arguments));
  int before = current_errno();
  set_errno(0);
  it.entry = real_readdir(it.stream);
  int error = it.entry ? 0 : current_errno();
  set_errno(before);
  return -error;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

DIR* opendir(const char* path) {
  if (!path::concerns_us()) {
    DIR* stream = real_opendir(path);
    path::count_in(0);
    return stream;
  }
  Opening it{path};
  deliver(run_with_room({"opendir", __builtin_return_address(0)}, [&](Call& call) {
    call.attempt = attempt_folder;
    call.real = open_folder;
    call.arguments = &it;
    call.habit = &path::opening_folders;
    call.name = path;
  }));
  if (it.stream && it.cold) base::self().cold_folder = it.stream;
  return it.stream;
}

DIR* fdopendir(int fd) {
  DIR* stream = real_fdopendir(fd);
  base::Thread& thread = base::self_unsuspended();
  if (stream && thread.cold_folder_fd == fd) thread.cold_folder = stream;
  return stream;
}

dirent* readdir(DIR* stream) {
  base::Thread& thread = base::self_unsuspended();
  if (thread.cold_folder != stream) return real_readdir(stream);
  thread.cold_folder = nullptr;
  thread.cold_folder_fd = -1;
  if (!path::concerns_us()) return real_readdir(stream);
  Reading it{stream};
  Call call{Family::direct};
  call.real = read_folder;
  call.arguments = &it;
  call.habit = &path::reading_folders;
  deliver(path::run(call, {"readdir", __builtin_return_address(0)}));
  return it.entry;
}

dirent64* readdir64(DIR*) __attribute__((nonnull(1), alias("readdir")));

}  // extern "C"
#pragma GCC visibility pop
