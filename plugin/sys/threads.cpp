// SPDX-License-Identifier: Apache-2.0
#include "sys/threads.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "sys/file.h"
#include "sys/lock.h"
#include "sys/raw.h"

namespace weir::sys {
namespace {

constinit Lock own_lock;
constinit OwnThread* first_own = nullptr;

}  // namespace

void enlist(OwnThread& thread) {
  LockScope locked(own_lock);
  thread.next = first_own;
  first_own = &thread;
}

// In a child that one of them forked it is not in the list.
void strike_off(OwnThread& thread) {
  LockScope locked(own_lock);
  OwnThread** at = &first_own;
  while (*at && *at != &thread) at = &(*at)->next;
  if (*at) *at = thread.next;
}

bool is_own_thread(std::int32_t tid) {
  LockScope locked(own_lock);
  OwnThread* thread = first_own;
  while (thread && thread->tid != tid) thread = thread->next;
  return thread;
}

void own_threads_after_fork() {
  own_lock.after_fork();
  first_own = nullptr;
}

bool told_of(std::int32_t tid, const char* name, char* text, std::size_t room) {
  Result file = open(base::Line().add("/proc/self/task/%d/%s", tid, name).text(), O_RDONLY | O_CLOEXEC);
  if (failed(file)) return false;
  Result bytes = read(static_cast<int>(file), text, room - 1);
  close(static_cast<int>(file));
  if (bytes <= 0) return false;
  text[bytes] = 0;
  return true;
}

// "TID (NAME) STATE ...", and a name may hold any of these characters.
ThreadState state_of(std::int32_t tid) {
  ThreadState found{};
  char text[512];
  if (!told_of(tid, "stat", text, sizeof text)) return found;
  const char* name = std::strchr(text, '(');
  const char* end = std::strrchr(text, ')');
  if (!name || !end || std::strlen(end) < 3) return found;
  std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(end - name - 1), sizeof found.name - 1);
  std::memcpy(found.name, name + 1, length);
  found.state = end[2];
  return found;
}

bool each_thread(bool (*visit)(void*, std::int32_t), void* argument) {
  Result directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (failed(directory)) return false;
  alignas(dirent64) char entries[4096];
  bool on = true;
  Result bytes;
  while (on && (bytes = raw(SYS_getdents64, directory, word(entries), sizeof entries)) > 0) {
    for (Result at = 0; on && at < bytes;) {
      auto* entry = reinterpret_cast<dirent64*>(entries + at);
      if (entry->d_name[0] != '.') on = visit(argument, std::atoi(entry->d_name));
      at += entry->d_reclen;
    }
  }
  close(static_cast<int>(directory));
  return true;
}

}  // namespace weir::sys
