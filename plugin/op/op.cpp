// SPDX-License-Identifier: Apache-2.0
#include "op/op.h"

namespace weir::op {
namespace {

// Of one call, Linux's own limit. (The ring has 32 bits for it.)
std::uint64_t of_one_call(std::uint64_t bytes) {
  constexpr std::uint64_t most = 0x7ffff000;
  return bytes < most ? bytes : most;
}

Op transfer(Kind kind, int fd, const void* buffer, std::uint64_t bytes, off_t offset) {
  Op op;
  op.kind = kind;
  op.fd = fd;
  op.buffer = const_cast<void*>(buffer);
  op.bytes = bytes;
  op.offset = offset;
  return op;
}

}  // namespace

Op poll(int fd, std::uint32_t events, std::int64_t timeout_ns) {
  Op op;
  op.kind = Kind::poll;
  op.fd = fd;
  op.events = events;
  op.timeout_ns = timeout_ns;
  return op;
}

Op timeout(std::int64_t ns) {
  Op op;
  op.kind = Kind::timeout;
  op.timeout_ns = ns;
  return op;
}

Op read(int fd, void* to, std::uint64_t bytes, off_t offset) {
  return transfer(Kind::read, fd, to, of_one_call(bytes), offset);
}
Op write(int fd, const void* from, std::uint64_t bytes, off_t offset) {
  return transfer(Kind::write, fd, from, of_one_call(bytes), offset);
}
Op readv(int fd, const iovec* parts, int count, off_t offset) {
  return transfer(Kind::readv, fd, parts, count, offset);
}
Op writev(int fd, const iovec* parts, int count, off_t offset) {
  return transfer(Kind::writev, fd, parts, count, offset);
}

Op fsync(int fd, bool data_only) {
  Op op;
  op.kind = Kind::fsync;
  op.fd = fd;
  op.data_only = data_only;
  return op;
}

Op of_socket(Kind kind, int socket, const void* buffer, std::uint64_t bytes, int flags) {
  Op op = transfer(kind, socket, buffer, of_one_call(bytes), 0);
  op.flags = flags;
  return op;
}

Op accept(int socket, void* peer, void* peer_bytes, int flags) {
  Op op = of_socket(Kind::accept, socket, peer, 0, flags);
  op.address_bytes = peer_bytes;
  return op;
}

Op memory(const unsigned* word, unsigned expected) { return transfer(Kind::memory, -1, word, expected, 0); }

}  // namespace weir::op
