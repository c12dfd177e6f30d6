// SPDX-License-Identifier: Apache-2.0
#include "sys/file.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>

#include <cerrno>

#include "sys/raw.h"

namespace weir::sys {

Result read(int fd, void* to, std::size_t bytes) { return raw(SYS_read, fd, word(to), bytes); }
Result write(int fd, const void* from, std::size_t bytes) { return raw(SYS_write, fd, word(from), bytes); }

namespace {

// The answers of a sandbox to a call that it does not know.
Result of_attempt(Result result, int flags) {
  bool unknown = result == -ENOSYS || result == -EPERM;
  return unknown && (flags & RWF_NOWAIT) ? -EOPNOTSUPP : result;
}

}  // namespace

// The offset travels in two registers: low, high (unused on a 64-bit machine).
Result preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return of_attempt(raw(SYS_preadv2, fd, word(parts), count, offset, 0, flags), flags);
}
Result pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return of_attempt(raw(SYS_pwritev2, fd, word(parts), count, offset, 0, flags), flags);
}

Result recvfrom(int fd, void* to, std::size_t bytes, int flags, sockaddr* from, socklen_t* from_bytes) {
  return raw(SYS_recvfrom, fd, word(to), bytes, flags, word(from), word(from_bytes));
}
Result sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to, socklen_t to_bytes) {
  return raw(SYS_sendto, fd, word(from), bytes, flags, word(to), to_bytes);
}
Result recvmsg(int fd, msghdr* message, int flags) { return raw(SYS_recvmsg, fd, word(message), flags); }
Result recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  return raw(SYS_recvmmsg, fd, word(messages), count, flags, 0);
}
Result sendmsg(int fd, const msghdr* message, int flags) { return raw(SYS_sendmsg, fd, word(message), flags); }
Result accept4(int fd, sockaddr* peer, socklen_t* peer_bytes, int flags) {
  return raw(SYS_accept4, fd, word(peer), word(peer_bytes), flags);
}
Result connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  return raw(SYS_connect, fd, word(peer), peer_bytes);
}
Result getsockopt(int fd, int level, int name, void* value, socklen_t* bytes) {
  return raw(SYS_getsockopt, fd, level, name, word(value), word(bytes));
}
int socket_value(int fd, int name) {
  int value = 0;
  socklen_t bytes = sizeof value;
  getsockopt(fd, SOL_SOCKET, name, &value, &bytes);
  return value;
}
Result bytes_there(int fd, int* bytes) { return raw(SYS_ioctl, fd, FIONREAD, word(bytes)); }
bool at_urgent(int fd) {
  int is = 0;
  return !failed(raw(SYS_ioctl, fd, SIOCATMARK, word(&is))) && is;
}
Result fsync(int fd) { return raw(SYS_fsync, fd); }
Result fdatasync(int fd) { return raw(SYS_fdatasync, fd); }
Result have_own_descriptors() { return raw(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE); }
Result open(const char* path, int flags, int mode) { return raw(SYS_openat, AT_FDCWD, word(path), flags, mode); }
Result open_cached(int directory, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint32_t>(flags);
  how.resolve = RESOLVE_CACHED;
  return raw(SYS_openat2, directory, word(path), word(&how), sizeof how);
}
Result close(int fd) { return raw(SYS_close, fd); }
Result fstat(int fd, struct stat* into) { return raw(SYS_fstat, fd, word(into)); }
Result known_of(int fd, struct stat* into) {
  struct statx about;
  Result result = raw(SYS_statx, fd, word(""), AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MODE | STATX_INO | STATX_SIZE,
                      word(&about));
  if (result == -ENOSYS || result == -EPERM) return sys::fstat(fd, into);  // a sandbox's answer: it knows no such call
  if (failed(result)) return result;
  *into = {};
  into->st_mode = about.stx_mode;
  into->st_dev = makedev(about.stx_dev_major, about.stx_dev_minor);
  into->st_rdev = makedev(about.stx_rdev_major, about.stx_rdev_minor);
  into->st_ino = about.stx_ino;
  into->st_size = static_cast<off_t>(about.stx_size);
  return 0;
}
Result lseek(int fd, off_t offset, int whence) { return raw(SYS_lseek, fd, offset, whence); }
Result in_page_cache(int fd, off_t offset, std::uint64_t bytes) {
  constexpr long number = 451;  // SYS_cachestat, and what it takes and fills
  constexpr std::uint64_t page = 4096;
  const std::uint64_t range[2] = {static_cast<std::uint64_t>(offset), bytes};
  std::uint64_t pages[5];  // in the cache, dirty, being written, evicted, evicted lately
  if (Result error = raw(number, fd, word(range), word(pages), 0); failed(error)) return error;
  return pages[0] == (range[0] + bytes - 1) / page - range[0] / page + 1;
}
Result status_flags(int fd) { return raw(SYS_fcntl, fd, F_GETFL); }

bool is_storage(int fd) {
  struct stat about;
  return !failed(known_of(fd, &about)) && (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode));
}

bool in_memory(int fd) {
  struct statfs about;
  if (failed(raw(SYS_fstatfs, fd, word(&about)))) return false;
  switch (about.f_type) {
    case TMPFS_MAGIC: case RAMFS_MAGIC: case HUGETLBFS_MAGIC: case PROC_SUPER_MAGIC: case SYSFS_MAGIC:
    case CGROUP2_SUPER_MAGIC: case DEBUGFS_MAGIC:
      return true;
    default:
      return false;
  }
}

bool on_pipefs(int fd) {
  struct statfs about;
  return !failed(raw(SYS_fstatfs, fd, word(&about))) && about.f_type == PIPEFS_MAGIC;
}
bool may_read_nothing(int terminal) {
  struct termios now;
  return !failed(raw(SYS_ioctl, terminal, TCGETS, word(&now))) && !(now.c_lflag & ICANON) && !now.c_cc[VMIN];
}

bool readable(std::uintptr_t at, std::size_t bytes) {
  // The kernel copies a signal set of 8 bytes before it refuses the made-up `how`: EFAULT, or EINVAL.
  constexpr std::size_t page = 4096, look = 8;
  constexpr int no_such_how = -1;
  auto sees = [](std::uintptr_t address) {
    return raw(SYS_rt_sigprocmask, no_such_how, static_cast<long>(address), 0, look) == -EINVAL;
  };
  if (bytes < look) return bytes == 0 || sees(at);
  for (std::uintptr_t next = at; next + look <= at + bytes; next = (next / page + 1) * page)
    if (!sees(next)) return false;
  return sees(at + bytes - look);
}

Result poll(pollfd* fds, unsigned count, int timeout_ms) { return raw(SYS_poll, word(fds), count, timeout_ms); }
Result eventfd(unsigned initial, int flags) { return raw(SYS_eventfd2, initial, flags); }

Result sleep_ns(std::int64_t ns) {
  timespec t{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  return raw(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, word(&t), 0);
}

}  // namespace weir::sys
