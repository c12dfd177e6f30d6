// SPDX-License-Identifier: Apache-2.0
// fopen, as open: what is at hand is opened at once, else the core goes to others meanwhile.
#include <fcntl.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>

#include "intercept/errno_edge.h"
#include "intercept/open_look.h"
#include "intercept/open_room.h"
#include "intercept/real.h"
#include "path/call.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

WEIR_REAL Real<FILE*(const char*, const char*)> real_fopen{"fopen"};

struct Opening {
  const char* path;
  const char* mode;
  FILE* file = nullptr;
};
Opening& opening(const Call& call) { return *static_cast<Opening*>(const_cast<void*>(call.arguments)); }

bool makes(const char* mode) { return mode[0] != 'r'; }  // or empties one, like as not

Result open_file(Call& call) {
  Opening& it = opening(call);
  it.file = real_fopen(it.path, it.mode);
  return it.file ? 0 : -current_errno();
}

// libc reads the mode best, and opens then. So this only finds out whether the name is at hand: it opens nothing.
Result attempt_file(Call& call) {
  Opening& it = opening(call);
  if (makes(it.mode)) return -EAGAIN;
  bool cold;
  Result fd = open_at_hand(AT_FDCWD, it.path, O_PATH | O_CLOEXEC, *call.habit, &cold);
  if (fd == -EAGAIN || fd == -EINTR) return fd;
  if (failed(fd)) return open_file(call);
  sys::close(static_cast<int>(fd));
  return call.habit->timed([&call] { return open_file(call); });
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

FILE* fopen(const char* path, const char* mode) {
  if (!path::concerns_us()) {
    FILE* file = real_fopen(path, mode);
    path::count_in(0);
    return file;
  }
  Opening it{path, mode};
  deliver(run_with_room({"fopen", __builtin_return_address(0)}, [&](Call& call) {
    call.attempt = attempt_file;
    call.real = open_file;
    call.arguments = &it;
    call.habit = makes(mode) ? &path::making_files : &path::opening_files;
    call.works = makes(mode);
    call.name = path;
    if (!std::strchr(mode, '+')) wait_for_other_end(call, AT_FDCWD, path, makes(mode) ? O_WRONLY : O_RDONLY);
  }));
  return it.file;
}

FILE* fopen64(const char*, const char*) __attribute__((alias("fopen")));

}  // extern "C"
#pragma GCC visibility pop
