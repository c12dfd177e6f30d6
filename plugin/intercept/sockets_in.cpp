// SPDX-License-Identifier: Apache-2.0
// recv and its kin.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/disturbed.h"
#include "intercept/errno_edge.h"
#include "intercept/outgoing.h"
#include "intercept/real.h"
#include "intercept/waiting.h"
#include "intercept/rest.h"
#include "path/call.h"
#include "path/ending.h"
#include "path/low_water.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Direction;
using path::Family;

WEIR_REAL Real<ssize_t(int, void*, size_t, int)> real_recv{"recv"};
WEIR_REAL Real<ssize_t(int, void*, size_t, int, sockaddr*, socklen_t*)> real_recvfrom{"recvfrom"};
WEIR_REAL Real<ssize_t(int, msghdr*, int)> real_recvmsg{"recvmsg"};
WEIR_REAL Real<int(int, mmsghdr*, unsigned, int, timespec*)> real_recvmmsg{"recvmmsg"};
WEIR_REAL Real<int(int, int, int, const void*, socklen_t)> real_setsockopt{"setsockopt"};
WEIR_REAL Real<ssize_t(int, void*, size_t, size_t, int)> real_recv_chk{"__recv_chk"};
WEIR_REAL Real<ssize_t(int, void*, size_t, size_t, int, sockaddr*, socklen_t*)> real_recvfrom_chk{"__recvfrom_chk"};

struct Receive {
  void* to;
  std::size_t bytes;
  int flags;
  sockaddr* from;
  socklen_t* from_bytes;
};

// The flags under which a non-blocking call and a wait do what the blocking call does.
constexpr int served = MSG_PEEK | MSG_TRUNC | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC | MSG_WAITALL;
bool serves(int flags) {
  return path::concerns_us() && !(flags & ~served) && !(flags & MSG_PEEK && flags & MSG_WAITALL);
}

// Once a part is moved, only what is there is asked for: an error, or the end, stays for the next call.
Result attempt_rest(const Call& call, const Receive& r) {
  if (sys::at_urgent(call.fd)) return 0;
  std::uint64_t bytes = r.bytes - call.moved;
  int there = 0;
  if (!failed(sys::bytes_there(call.fd, &there))) {
    if (there <= 0) {
      if (!ended(call.fd, POLLIN)) return -EAGAIN;
      sys::bytes_there(call.fd, &there);  // the last may have come since
      if (there <= 0) return 0;
    }
    bytes = std::min(bytes, static_cast<std::uint64_t>(there));
  }
  return sys::recvfrom(call.fd, static_cast<char*>(r.to) + call.moved, bytes, r.flags | MSG_DONTWAIT, r.from, r.from_bytes);
}

// With MSG_WAITALL a stream's call goes on until all is there; a datagram's does not.
Result attempt_receive(Call& call) {
  const auto& r = *static_cast<const Receive*>(call.arguments);
  while (true) {
    Result got = call.moved ? attempt_rest(call, r)
                            : sys::recvfrom(call.fd, r.to, r.bytes, r.flags | MSG_DONTWAIT, r.from, r.from_bytes);
    if (got == -EAGAIN) return got;
    if (got <= 0) return call.moved ? static_cast<Result>(call.moved) : got;
    call.moved += static_cast<std::uint64_t>(got);
    if (!(r.flags & MSG_WAITALL) || call.moved >= r.bytes) return static_cast<Result>(call.moved);
    if (sys::socket_value(call.fd, SO_TYPE) != SOCK_STREAM) return static_cast<Result>(call.moved);
  }
}

Result real_receive(Call& call) {
  const auto& r = *static_cast<const Receive*>(call.arguments);
  if (!call.moved) {
    const base::Disturbed disturbed;
    Result got = outcome(real_recvfrom(call.fd, r.to, r.bytes, r.flags, r.from, r.from_bytes));
    bool in_part = r.flags & MSG_WAITALL && got > 0 && static_cast<std::uint64_t>(got) < r.bytes;
    if (!in_part || !disturbed.by_us() || sys::socket_value(call.fd, SO_TYPE) != SOCK_STREAM) return got;
    call.moved = static_cast<std::uint64_t>(got);
  }
  return attempt_until_over(call, POLLIN);
}

struct ReceiveMessage {
  msghdr* message;
  int flags;
};

Call stream_in(int fd) {
  Call call{Family::stream_in, Direction::in};
  call.socket = true;
  call.fd = fd;
  return call;
}

struct ReceiveBatch {
  mmsghdr* messages;
  unsigned count;
  int flags;
};

int receive_batch(int fd, const ReceiveBatch& what) {
  Call call = stream_in(fd);
  call.attempt = [](Call& c) {
    const auto& r = *static_cast<const ReceiveBatch*>(c.arguments);
    return sys::recvmmsg(c.fd, r.messages, r.count, r.flags | MSG_DONTWAIT);
  };
  call.real = [](Call& c) {
    const auto& r = *static_cast<const ReceiveBatch*>(c.arguments);
    return outcome(real_recvmmsg(c.fd, r.messages, r.count, r.flags, nullptr));
  };
  call.arguments = &what;
  return static_cast<int>(deliver(path::run(call)));
}

ssize_t receive(int fd, const Receive& what) {
  Call call = stream_in(fd);
  call.attempt = attempt_receive;
  call.real = real_receive;
  call.arguments = &what;
  call.bytes = what.bytes;
  op::Op operation = op::of_socket(op::Kind::recv, fd, what.to, what.bytes, what.flags);
  // What the ring has no one operation for: the sender's address, nothing, and all of what comes in pieces.
  if (what.bytes && !what.from && !(what.flags & MSG_WAITALL)) call.operation = &operation;
  return deliver(path::run(call));
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

ssize_t recv(int fd, void* to, size_t bytes, int flags) {
  if (serves(flags)) return receive(fd, {to, std::min(bytes, most_of_one_call), flags, nullptr, nullptr});
  ssize_t got = real_recv(fd, to, bytes, flags);
  path::count_in(got);
  return got;
}

ssize_t recvfrom(int fd, void* to, size_t bytes, int flags, sockaddr* from, socklen_t* from_bytes) {
  if (serves(flags)) return receive(fd, {to, std::min(bytes, most_of_one_call), flags, from, from_bytes});
  ssize_t got = real_recvfrom(fd, to, bytes, flags, from, from_bytes);
  path::count_in(got);
  return got;
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (!serves(flags) || flags & MSG_WAITALL) {
    bool waits = flags & MSG_WAITALL && !(flags & MSG_DONTWAIT) && path::concerns_us();
    ssize_t got = waits ? as_a_whole(fd, [=] { return real_recvmsg(fd, message, flags); }) : real_recvmsg(fd, message, flags);
    if (got >= 0) [[likely]] path::sockets_came(*message);
    waits ? path::add_bytes_in(got > 0 ? static_cast<std::uint64_t>(got) : 0) : path::count_in(got);
    return got;
  }
  ReceiveMessage what{message, flags};
  Call call = stream_in(fd);
  call.attempt = [](Call& c) {
    const auto& r = *static_cast<const ReceiveMessage*>(c.arguments);
    return sys::recvmsg(c.fd, r.message, r.flags | MSG_DONTWAIT);
  };
  call.real = [](Call& c) {
    const auto& r = *static_cast<const ReceiveMessage*>(c.arguments);
    return outcome(real_recvmsg(c.fd, r.message, r.flags));
  };
  call.arguments = &what;
  op::Op operation = op::of_socket(op::Kind::recvmsg, fd, message, 1, flags);
  call.operation = &operation;
  Result got = path::run(call);
  if (got >= 0) [[likely]] path::sockets_came(*message);
  return deliver(got);
}

// As many as are there, once one is; or a batch of one.
int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* limit) {
  bool takes_the_first = flags & MSG_WAITFORONE || count == 1;
  int got = -1;
  if (!path::concerns_us() || flags & MSG_DONTWAIT) {
    got = real_recvmmsg(fd, messages, count, flags, limit);
    path::count_in(0);
  } else if (!takes_the_first || !count || limit || !serves(flags & ~MSG_WAITFORONE) || flags & MSG_WAITALL) {
    // The kernel waits for each, and looks at the limit in between.
    got = as_a_whole(fd, [=] { return real_recvmmsg(fd, messages, count, flags, limit); });
  } else {
    got = receive_batch(fd, {messages, count, flags});
  }
  for (int i = 0; i < got; ++i) path::sockets_came(messages[i].msg_hdr);
  return got;
}

int setsockopt(int fd, int level, int name, const void* value, socklen_t bytes) {
  int result = real_setsockopt(fd, level, name, value, bytes);
  if (level == SOL_SOCKET && name == SO_RCVLOWAT && !result) path::low_water_may_be_set();
  if (level == SOL_SOCKET && name == SO_RCVTIMEO) path::forget_number(fd);
  return result;
}

ssize_t __recv_chk(int fd, void* to, size_t bytes, size_t room, int flags) {
  return bytes > room ? real_recv_chk(fd, to, bytes, room, flags) : recv(fd, to, bytes, flags);
}

ssize_t __recvfrom_chk(int fd, void* to, size_t bytes, size_t room, int flags, sockaddr* from, socklen_t* from_bytes) {
  return bytes > room ? real_recvfrom_chk(fd, to, bytes, room, flags, from, from_bytes)
                      : recvfrom(fd, to, bytes, flags, from, from_bytes);
}

ssize_t __recv(int, void*, size_t, int) __attribute__((alias("recv")));

}  // extern "C"
#pragma GCC visibility pop
