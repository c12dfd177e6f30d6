// SPDX-License-Identifier: Apache-2.0
// send and its kin.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "intercept/errno_edge.h"
#include "intercept/outgoing.h"
#include "intercept/real.h"
#include "intercept/waiting.h"
#include "path/call.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Direction;
using path::Family;

WEIR_REAL Real<ssize_t(int, const void*, size_t, int)> real_send{"send"};
WEIR_REAL Real<ssize_t(int, const void*, size_t, int, const sockaddr*, socklen_t)> real_sendto{"sendto"};
WEIR_REAL Real<ssize_t(int, const msghdr*, int)> real_sendmsg{"sendmsg"};
WEIR_REAL Real<int(int, mmsghdr*, unsigned, int)> real_sendmmsg{"sendmmsg"};

struct To {
  const sockaddr* address;
  socklen_t bytes;
};

constexpr int served = MSG_NOSIGNAL | MSG_MORE | MSG_DONTROUTE | MSG_EOR;
bool serves(int flags) { return path::concerns_us() && !(flags & ~served); }

Call stream_out(int fd, const iovec* parts, int count, std::uint64_t bytes, const Outgoing& out) {
  Call call{Family::stream_out, Direction::out};
  call.socket = true;
  call.fd = fd;
  call.attempt = attempt_out;
  call.real = real_out;
  call.arguments = &out;
  call.parts = parts;
  call.part_count = count;
  call.bytes = bytes;
  return call;
}

ssize_t send_to(int fd, const void* from, size_t bytes, int flags, const To& to) {
  bytes = std::min(bytes, most_of_one_call);
  iovec part{const_cast<void*>(from), bytes};
  Outgoing out;
  out.continues = out.socket = true;
  out.flags = flags;
  out.more = &to;
  out.first = [](const Call& c) {
    const Outgoing& o = outgoing_of(c);
    const To& t = *static_cast<const To*>(o.more);
    return sys::sendto(c.fd, c.parts->iov_base, c.parts->iov_len, o.flags | MSG_DONTWAIT, t.address, t.bytes);
  };
  out.whole = [](const Call& c) {
    const Outgoing& o = outgoing_of(c);
    const To& t = *static_cast<const To*>(o.more);
    return outcome(real_sendto(c.fd, c.parts->iov_base, c.parts->iov_len, o.flags, t.address, t.bytes));
  };
  Call call = stream_out(fd, &part, 1, bytes, out);
  return deliver(path::run(call));
}

bool is_full(int fd) {
  pollfd one{fd, POLLOUT, 0};
  return sys::poll(&one, 1, 0) == 0;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

ssize_t send(int fd, const void* from, size_t bytes, int flags) {
  if (serves(flags)) return send_to(fd, from, bytes, flags, {nullptr, 0});
  ssize_t put = real_send(fd, from, bytes, flags);
  path::count_out(put);
  return put;
}

ssize_t sendto(int fd, const void* from, size_t bytes, int flags, const sockaddr* to, socklen_t to_bytes) {
  if (serves(flags)) return send_to(fd, from, bytes, flags, {to, to_bytes});
  ssize_t put = real_sendto(fd, from, bytes, flags, to, to_bytes);
  path::count_out(put);
  return put;
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  bool ours = serves(flags) && sys::readable(message) && message->msg_iovlen <= 1024;
  std::int64_t bytes = ours ? bytes_of(message->msg_iov, static_cast<int>(message->msg_iovlen)) : -1;
  if (bytes < 0) {
    ssize_t put = real_sendmsg(fd, message, flags);
    path::count_out(put);
    return put;
  }
  Outgoing out;
  out.continues = out.socket = true;
  out.flags = flags;
  out.more = message;
  out.first = [](const Call& c) {
    const Outgoing& o = outgoing_of(c);
    return sys::sendmsg(c.fd, static_cast<const msghdr*>(o.more), o.flags | MSG_DONTWAIT);
  };
  out.whole = [](const Call& c) {
    const Outgoing& o = outgoing_of(c);
    return outcome(real_sendmsg(c.fd, static_cast<const msghdr*>(o.more), o.flags));
  };
  Call call = stream_out(fd, message->msg_iov, static_cast<int>(message->msg_iovlen),
                         static_cast<std::uint64_t>(bytes), out);
  return deliver(path::run(call));
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (!path::concerns_us() || flags & MSG_DONTWAIT || !is_full(fd)) {
    int put = real_sendmmsg(fd, messages, count, flags);
    path::count_out(0);
    return put;
  }
  return static_cast<int>(as_a_whole(fd, [=] { return real_sendmmsg(fd, messages, count, flags); }, Raises::sigpipe));  // a batch
}

ssize_t __send(int, const void*, size_t, int) __attribute__((alias("send")));
int __sendmmsg(int, mmsghdr*, unsigned, int) __attribute__((alias("sendmmsg")));

}  // extern "C"
#pragma GCC visibility pop
