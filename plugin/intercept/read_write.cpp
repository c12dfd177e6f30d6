// SPDX-License-Identifier: Apache-2.0
// read, write and their vectors: a stream, or a file at its shared offset. (To move nothing is libc's affair: what that
// gives on an event, a directory or a datagram socket, the vector calls would not.)
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "intercept/errno_edge.h"
#include "intercept/outgoing.h"
#include "intercept/real.h"
#include "path/call.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Direction;
using path::Family;

WEIR_REAL Real<ssize_t(int, void*, size_t)> real_read{"read"};
WEIR_REAL Real<ssize_t(int, const void*, size_t)> real_write{"write"};
WEIR_REAL Real<ssize_t(int, const iovec*, int)> real_readv{"readv"};
WEIR_REAL Real<ssize_t(int, const iovec*, int)> real_writev{"writev"};
WEIR_REAL Real<ssize_t(int, void*, size_t, size_t)> real_read_chk{"__read_chk"};

Call next(int fd, const iovec* parts, int count, std::uint64_t bytes) {
  Call call{Family::next, Direction::in};
  call.fd = fd;
  call.attempt = path::attempt_next;
  call.parts = parts;
  call.part_count = count;
  call.bytes = bytes;
  return call;
}

// A write to a file is libc's affair, whole, at once. On anything else a short one means that it would block.
Call put(int fd, const iovec* parts, int count, std::uint64_t bytes, Outgoing& out) {
  struct stat about {};
  bool known = !failed(sys::known_of(fd, &about));
  out.socket = known && S_ISSOCK(about.st_mode);
  out.continues = out.socket || (known && S_ISFIFO(about.st_mode));
  out.first = [](const Call& c) { return sys::pwritev2(c.fd, c.parts, c.part_count, -1, RWF_NOWAIT); };
  Call call{Family::put, Direction::out};
  call.fd = fd;
  if (known && !S_ISREG(about.st_mode) && !S_ISBLK(about.st_mode)) call.attempt = attempt_out;
  call.real = real_out;
  call.arguments = &out;
  call.parts = parts;
  call.part_count = count;
  call.bytes = bytes;
  return call;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

ssize_t read(int fd, void* to, size_t bytes) {
  if (!bytes || !path::concerns_us() || !may_be_memory(to, bytes)) {
    ssize_t got = real_read(fd, to, bytes);
    path::count_in(got);
    return got;
  }
  iovec part{to, std::min(bytes, most_of_one_call)};
  Call call = next(fd, &part, 1, part.iov_len);
  call.real = [](Call& c) { return outcome(real_read(c.fd, c.parts->iov_base, c.parts->iov_len)); };
  return deliver(path::run(call));
}

ssize_t write(int fd, const void* from, size_t bytes) {
  if (!bytes || !path::concerns_us() || !may_be_memory(from, bytes)) {
    ssize_t put = real_write(fd, from, bytes);
    path::count_out(put);
    return put;
  }
  iovec part{const_cast<void*>(from), std::min(bytes, most_of_one_call)};
  Outgoing out;
  out.whole = [](const Call& c) { return outcome(real_write(c.fd, c.parts->iov_base, c.parts->iov_len)); };
  Call call = put(fd, &part, 1, part.iov_len, out);
  return deliver(path::run(call));
}

ssize_t readv(int fd, const iovec* parts, int count) {
  std::int64_t bytes = path::concerns_us() ? bytes_of(parts, count) : -1;
  if (bytes <= 0) {
    ssize_t got = real_readv(fd, parts, count);
    path::count_in(got);
    return got;
  }
  Call call = next(fd, parts, count, static_cast<std::uint64_t>(bytes));
  call.real = [](Call& c) { return outcome(real_readv(c.fd, c.parts, c.part_count)); };
  return deliver(path::run(call));
}

ssize_t writev(int fd, const iovec* parts, int count) {
  std::int64_t bytes = path::concerns_us() ? bytes_of(parts, count) : -1;
  if (bytes <= 0) {
    ssize_t put = real_writev(fd, parts, count);
    path::count_out(put);
    return put;
  }
  Outgoing out;
  out.whole = [](const Call& c) { return outcome(real_writev(c.fd, c.parts, c.part_count)); };
  Call call = put(fd, parts, count, static_cast<std::uint64_t>(bytes), out);
  return deliver(path::run(call));
}

ssize_t __read_chk(int fd, void* to, size_t bytes, size_t room) {
  return bytes > room ? real_read_chk(fd, to, bytes, room) : read(fd, to, bytes);  // the real one aborts
}

ssize_t __read(int fd, void* to, size_t bytes) __attribute__((alias("read")));
ssize_t __write(int fd, const void* from, size_t bytes) __attribute__((alias("write")));

}  // extern "C"
#pragma GCC visibility pop
