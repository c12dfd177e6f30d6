// SPDX-License-Identifier: Apache-2.0
// pread, pwrite and their vectors: a file at an offset of its own.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "intercept/errno_edge.h"
#include "intercept/outgoing.h"
#include "intercept/real.h"
#include "path/call.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Direction;
using path::Family;

WEIR_REAL Real<ssize_t(int, void*, size_t, off_t)> real_pread{"pread"};
WEIR_REAL Real<ssize_t(int, const void*, size_t, off_t)> real_pwrite{"pwrite"};
WEIR_REAL Real<ssize_t(int, const iovec*, int, off_t)> real_preadv{"preadv"};
WEIR_REAL Real<ssize_t(int, const iovec*, int, off_t)> real_pwritev{"pwritev"};
WEIR_REAL Real<ssize_t(int, const iovec*, int, off_t, int)> real_preadv2{"preadv2"};
WEIR_REAL Real<ssize_t(int, const iovec*, int, off_t, int)> real_pwritev2{"pwritev2"};
WEIR_REAL Real<ssize_t(int, void*, size_t, off_t, size_t)> real_pread_chk{"__pread_chk"};

Call at(Direction direction, int fd, const iovec* parts, int count, off_t offset) {
  bool in = direction == Direction::in;
  Call call{in ? Family::file_at : Family::put_at, direction};
  call.fd = fd;
  if (in) call.attempt = path::attempt_file_at;
  call.parts = parts;
  call.part_count = count;
  call.offset = offset;
  return call;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  if (!bytes || !path::concerns_us() || !may_be_memory(to, bytes)) {
    ssize_t got = real_pread(fd, to, bytes, offset);
    path::count_in(got);
    return got;
  }
  iovec part{to, std::min(bytes, most_of_one_call)};
  Call call = at(Direction::in, fd, &part, 1, offset);
  call.bytes = part.iov_len;
  call.real = [](Call& c) { return outcome(real_pread(c.fd, c.parts->iov_base, c.parts->iov_len, c.offset)); };
  return deliver(path::run(call));
}

ssize_t pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  if (!bytes || !path::concerns_us() || !may_be_memory(from, bytes)) {
    ssize_t put = real_pwrite(fd, from, bytes, offset);
    path::count_out(put);
    return put;
  }
  iovec part{const_cast<void*>(from), std::min(bytes, most_of_one_call)};
  Call call = at(Direction::out, fd, &part, 1, offset);
  call.bytes = part.iov_len;
  call.real = [](Call& c) { return outcome(real_pwrite(c.fd, c.parts->iov_base, c.parts->iov_len, c.offset)); };
  return deliver(path::run(call));
}

ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  std::int64_t bytes = path::concerns_us() ? bytes_of(parts, count) : -1;
  if (bytes <= 0) {
    ssize_t got = real_preadv(fd, parts, count, offset);
    path::count_in(got);
    return got;
  }
  Call call = at(Direction::in, fd, parts, count, offset);
  call.bytes = static_cast<std::uint64_t>(bytes);
  call.real = [](Call& c) { return outcome(real_preadv(c.fd, c.parts, c.part_count, c.offset)); };
  return deliver(path::run(call));
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  std::int64_t bytes = path::concerns_us() ? bytes_of(parts, count) : -1;
  if (bytes <= 0) {
    ssize_t put = real_pwritev(fd, parts, count, offset);
    path::count_out(put);
    return put;
  }
  Call call = at(Direction::out, fd, parts, count, offset);
  call.bytes = static_cast<std::uint64_t>(bytes);
  call.real = [](Call& c) { return outcome(real_pwritev(c.fd, c.parts, c.part_count, c.offset)); };
  return deliver(path::run(call));
}

// Flags say how the kernel is to do it: such a call is the kernel's alone. Offset -1 is the shared one.
ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (path::concerns_us() && !flags) return offset == -1 ? readv(fd, parts, count) : preadv(fd, parts, count, offset);
  ssize_t got = real_preadv2(fd, parts, count, offset, flags);
  path::count_in(got);
  return got;
}

ssize_t pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (path::concerns_us() && !flags) return offset == -1 ? writev(fd, parts, count) : pwritev(fd, parts, count, offset);
  ssize_t put = real_pwritev2(fd, parts, count, offset, flags);
  path::count_out(put);
  return put;
}

ssize_t __pread_chk(int fd, void* to, size_t bytes, off_t offset, size_t room) {
  return bytes > room ? real_pread_chk(fd, to, bytes, offset, room) : pread(fd, to, bytes, offset);
}

// On a 64-bit machine off_t is off64_t.
ssize_t pread64(int, void*, size_t, off_t) __attribute__((alias("pread")));
ssize_t __pread64(int, void*, size_t, off_t) __attribute__((alias("pread")));
ssize_t pwrite64(int, const void*, size_t, off_t) __attribute__((alias("pwrite")));
ssize_t __pwrite64(int, const void*, size_t, off_t) __attribute__((alias("pwrite")));
ssize_t preadv64(int, const iovec*, int, off_t) __attribute__((alias("preadv")));
ssize_t pwritev64(int, const iovec*, int, off_t) __attribute__((alias("pwritev")));
ssize_t preadv64v2(int, const iovec*, int, off_t, int) __attribute__((alias("preadv2")));
ssize_t pwritev64v2(int, const iovec*, int, off_t, int) __attribute__((alias("pwritev2")));
ssize_t __pread64_chk(int, void*, size_t, off_t, size_t) __attribute__((alias("__pread_chk")));

}  // extern "C"
#pragma GCC visibility pop
