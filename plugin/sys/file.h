// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "base/result.h"

// The calls on descriptors that the engine makes itself. Each is one raw system call: value or -errno.
namespace weir::sys {

Result read(int fd, void* to, std::size_t bytes);
Result write(int fd, const void* from, std::size_t bytes);
Result preadv2(int fd, const iovec* parts, int count, off_t offset, int flags);
Result pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags);
Result recvfrom(int fd, void* to, std::size_t bytes, int flags, sockaddr* from, socklen_t* from_bytes);
Result sendto(int fd, const void* from, std::size_t bytes, int flags, const sockaddr* to, socklen_t to_bytes);
Result recvmsg(int fd, msghdr* message, int flags);
Result sendmsg(int fd, const msghdr* message, int flags);
Result recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags);
Result accept4(int fd, sockaddr* peer, socklen_t* peer_bytes, int flags);
Result connect(int fd, const sockaddr* peer, socklen_t peer_bytes);
Result getsockopt(int fd, int level, int name, void* value, socklen_t* bytes);
int socket_value(int fd, int name);  // of SOL_SOCKET; 0: it has none
Result bytes_there(int fd, int* bytes);  // to be read from a stream
bool at_urgent(int fd);  // what a socket gives next is its urgent data: no call reads on over that
Result fsync(int fd);
Result fdatasync(int fd);
Result open(const char* path, int flags, int mode = 0);
// Opens what the kernel finds without asking a device; -EAGAIN: not found so. For flags that make or empty nothing.
Result open_cached(int directory, const char* path, int flags);
Result close(int fd);
// For a thread of ours that opens files of its own: from now on it has a table of descriptors for itself, all empty, and not
// a copy of the program's. The program finds none of the thread's, and what it closes is closed. -errno: it has the program's.
Result have_own_descriptors();
Result fstat(int fd, struct stat* into);
// The same of what is known on this machine: type and permissions, device, number, size. The server of a distant file system
// is not asked, as fstat asks it: after each read of a FUSE file, and now and then of any other. The size may be its last one.
Result known_of(int fd, struct stat* into);
Result lseek(int fd, off_t offset, int whence);
// 1: all pages of these bytes of a file are in the page cache, or on their way there; 0: not all. Unlike a read that must not
// wait, the look makes the kernel read nothing. -errno: it can't tell (before Linux 6.5; not the user's file).
Result in_page_cache(int fd, off_t offset, std::uint64_t bytes);
Result status_flags(int fd);  // fcntl(F_GETFL)
bool is_storage(int fd);      // a regular file or a block device
bool in_memory(int fd);       // its file system has no device below: tmpfs, memfd, proc, sysfs ...
bool on_pipefs(int fd);       // of pipes, those without a name
bool may_read_nothing(int terminal);  // a read of it gives nothing, at once or after a time: VMIN is 0
bool readable(std::uintptr_t address, std::size_t bytes);  // may be read without a fault, now
Result poll(pollfd* fds, unsigned count, int timeout_ms);
Result eventfd(unsigned initial, int flags);
Result sleep_ns(std::int64_t ns);

template <typename T>
bool readable(const T* object, std::size_t count = 1) {
  return readable(reinterpret_cast<std::uintptr_t>(object), count * sizeof(T));
}

}  // namespace weir::sys
