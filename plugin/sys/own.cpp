// SPDX-License-Identifier: Apache-2.0
#include "sys/own.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>

#include "sys/raw.h"

namespace weir::sys {
namespace {

constexpr int count = static_cast<int>(Own::count);
constinit std::atomic<int> number_plus_one[count] = {};
constinit std::atomic<bool> has_room{false};

Result duplicated_high(int fd) {
  Result other = copied_up(fd);
  if (!failed(other)) return other;
  rlimit limit{};
  if (failed(raw(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, word(&limit)))) return other;
  return raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, static_cast<int>(std::min<rlim_t>(limit.rlim_cur - limit.rlim_cur / 4, first_of_ours)));
}

}  // namespace

int own(Own which) { return number_plus_one[static_cast<int>(which)].load(std::memory_order_acquire) - 1; }

void set_own(Own which, int fd) {
  number_plus_one[static_cast<int>(which)].store(fd + 1, std::memory_order_release);
}

bool is_own(int fd) {
  bool is = false;
  for (const std::atomic<int>& number : number_plus_one)
    is |= fd >= 0 && number.load(std::memory_order_relaxed) == fd + 1;
  return is;
}

int next_own(unsigned from) {
  int next = -1;
  for (int i = 0; i < count; ++i) {
    int fd = own(static_cast<Own>(i));
    if (fd >= 0 && static_cast<unsigned>(fd) >= from && (next < 0 || fd < next)) next = fd;
  }
  return next;
}

Result copied_up(int fd) { return raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_of_ours); }

int moved_up(int fd) {
  Result high = duplicated_high(fd);
  if (failed(high)) return fd;
  raw(SYS_close, fd);
  return static_cast<int>(high);
}

void make_room() {
  if (has_room.load(std::memory_order_relaxed) || has_room.exchange(true)) return;
  Result any = raw(SYS_openat, AT_FDCWD, word("/"), O_PATH | O_CLOEXEC);
  if (failed(any)) return;
  raw(SYS_close, moved_up(static_cast<int>(any)));
}

void room_after_fork() { has_room.store(false); }

void make_way(int fd) {
  for (int i = 0; i < count; ++i) {
    if (own(static_cast<Own>(i)) != fd) continue;
    Result other = duplicated_high(fd);
    if (other >= 0) set_own(static_cast<Own>(i), static_cast<int>(other));
  }
}

}  // namespace weir::sys
