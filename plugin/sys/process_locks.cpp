// SPDX-License-Identifier: Apache-2.0
#include "sys/process_locks.h"

#include <fcntl.h>

#include <cstdlib>
#include <cstring>

#include "sys/file.h"
#include "sys/process.h"

namespace weir::sys {
namespace {

// "1: POSIX  ADVISORY  WRITE 77 fd:00:66 0 EOF"; who waits has an arrow behind the colon.
bool is_ours(const char* line) {
  const char* kind = std::strchr(line, ':');
  if (!kind || std::strncmp(kind, ": POSIX ", 8) != 0) return false;
  const char* at = kind + 2;
  for (int word = 0; word < 3; ++word) {
    at += std::strcspn(at, " ");
    at += std::strspn(at, " ");
  }
  return std::strtol(at, nullptr, 10) == process_id();
}

}  // namespace

bool has_process_locks() {
  constexpr std::size_t longest = 256;
  Result file = open("/proc/locks", O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return true;
  char text[4096 + 1];
  std::size_t kept = 0;
  bool found = false;
  while (!found) {
    Result got = read(static_cast<int>(file), text + kept, sizeof text - 1 - kept);
    if (got <= 0) break;
    std::size_t all = kept + static_cast<std::size_t>(got);
    text[all] = 0;
    char* line = text;
    for (char* end; !found && (end = std::strchr(line, '\n')); line = end + 1) {
      *end = 0;
      found = is_ours(line);
    }
    kept = static_cast<std::size_t>(text + all - line);
    if (kept > longest) kept = 0;  // no line of it
    std::memmove(text, line, kept);
  }
  close(static_cast<int>(file));
  return found;
}

}  // namespace weir::sys
