// SPDX-License-Identifier: Apache-2.0
#include "api/voice.h"

#include <sys/stat.h>

#include "sys/file.h"
#include "sys/own.h"
#include "sys/unsignalled.h"

namespace weir::api {
namespace {

constinit int kept = -1;
constinit dev_t device = 0;
constinit ino_t inode = 0;

bool is_what_stderr_was(int fd) {
  struct stat now;
  return fd >= 0 && !failed(sys::fstat(fd, &now)) && now.st_dev == device && now.st_ino == inode;
}

}  // namespace

void know_stderr() {
  struct stat now;
  if (failed(sys::fstat(2, &now))) return;
  device = now.st_dev;
  inode = now.st_ino;
}

void keep_stderr() {
  if (!is_what_stderr_was(2)) return;
  Result copy = sys::copied_up(2);
  kept = failed(copy) ? -1 : static_cast<int>(copy);
}

void voice_after_fork() {
  if (is_what_stderr_was(kept)) sys::close(kept);
  kept = -1;
}

void tell(const base::Line& line) {
  int fd = is_what_stderr_was(2) ? 2 : is_what_stderr_was(kept) ? kept : -1;
  if (fd < 0) return;
  sys::Unsignalled unsignalled;
  sys::write(fd, line.text(), line.length());
}

}  // namespace weir::api
