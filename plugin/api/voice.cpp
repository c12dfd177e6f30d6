// SPDX-License-Identifier: Apache-2.0
#include "api/voice.h"

#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "sys/file.h"
#include "sys/own.h"
#include "sys/raw.h"
#include "sys/unsignalled.h"

namespace weir::api {
namespace {

constinit int kept = -1;
constinit dev_t device = 0;
constinit ino_t inode = 0;
constinit bool shows_blanks = false;  // a terminal that does no more than write one behind the other

bool is_what_stderr_was(int fd) {
  struct stat now;
  return fd >= 0 && !failed(sys::fstat(fd, &now)) && now.st_dev == device && now.st_ino == inode;
}

int stderr_now() { return is_what_stderr_was(2) ? 2 : is_what_stderr_was(kept) ? kept : -1; }

// A terminal does not say in which column it is. But blanks of its width, less one, end in the line below where it was not at the
// beginning of one, and a return leads to the beginning from there.
base::Line begin_on_terminal(int columns) {
  base::Line blanks;
  for (int i = 1; i < columns; ++i) blanks.add(" ");
  return blanks.add("\r");
}

// -1: it is none.
int width_of_terminal(int fd) {
  winsize size{};
  struct stat about;
  if (failed(sys::fstat(fd, &about)) || !S_ISCHR(about.st_mode)) return -1;
  return failed(sys::raw(SYS_ioctl, fd, TIOCGWINSZ, sys::word(&size))) ? -1 : size.ws_col;
}

}  // namespace

void know_stderr() {
  const char* kind = std::getenv("TERM");
  shows_blanks = !kind || !*kind || !std::strcmp(kind, "dumb");
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
  int fd = stderr_now();
  if (fd < 0) return;
  sys::Unsignalled unsignalled;
  sys::write(fd, line.text(), line.length());
}

void tell_on_new_line(const base::Line& line) {
  constexpr int widest = 1000;  // as a line has room for
  int fd = stderr_now(), columns = shows_blanks ? -1 : width_of_terminal(fd);
  if (columns > 0 && columns <= widest) tell(begin_on_terminal(columns));
  tell(line);
}

}  // namespace weir::api
