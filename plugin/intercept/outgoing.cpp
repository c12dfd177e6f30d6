// SPDX-License-Identifier: Apache-2.0
#include "intercept/outgoing.h"

#include <limits.h>
#include <poll.h>

#include <algorithm>

#include "intercept/errno_edge.h"
#include "intercept/real.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;

WEIR_REAL Real<ssize_t(int, const iovec*, int)> real_writev{"writev"};
WEIR_REAL Real<ssize_t(int, const msghdr*, int)> real_sendmsg{"sendmsg"};

// The program's parts from call.moved on, as many as fit.
struct Rest {
  static constexpr int most = 16;
  iovec parts[most];
  int count = 0;
  std::uint64_t bytes = 0;

  explicit Rest(const Call& call) {
    std::uint64_t skip = call.moved, left = call.bytes - call.moved;
    for (int i = 0; i < call.part_count && count < most && left; ++i) {
      const iovec& part = call.parts[i];
      if (skip >= part.iov_len) {
        skip -= part.iov_len;
        continue;
      }
      std::uint64_t here = std::min<std::uint64_t>(part.iov_len - skip, left);
      parts[count++] = {static_cast<char*>(part.iov_base) + skip, here};
      bytes += here;
      left -= here;
      skip = 0;
    }
  }
  msghdr message() {
    msghdr m{};
    m.msg_iov = parts;
    m.msg_iovlen = static_cast<std::size_t>(count);
    return m;
  }
};

// An error that comes after part was sent belongs to the next call: neither SIGPIPE nor the socket's error may be
// used up by ours.
bool in_error(int fd) {
  pollfd about{fd, POLLOUT, 0};
  return sys::poll(&about, 1, 0) == 1 && (about.revents & (POLLERR | POLLHUP));
}

Result attempt_rest(const Call& call, const Outgoing& out) {
  Rest rest(call);
  if (!out.socket) return sys::pwritev2(call.fd, rest.parts, rest.count, -1, RWF_NOWAIT);
  if (in_error(call.fd)) return 0;
  msghdr message = rest.message();
  return sys::sendmsg(call.fd, &message, out.flags | MSG_DONTWAIT | MSG_NOSIGNAL);
}

Result real_rest(const Call& call, const Outgoing& out, std::uint64_t* asked) {
  Rest rest(call);
  *asked = rest.bytes;
  if (!out.socket) return outcome(real_writev(call.fd, rest.parts, rest.count));
  if (in_error(call.fd)) return 0;
  msghdr message = rest.message();
  return outcome(real_sendmsg(call.fd, &message, out.flags | MSG_NOSIGNAL));
}

}  // namespace

const Outgoing& outgoing_of(const Call& call) { return *static_cast<const Outgoing*>(call.arguments); }

Result attempt_out(Call& call) {
  const Outgoing& out = outgoing_of(call);
  while (true) {
    Result sent = call.moved ? attempt_rest(call, out) : out.first(call);
    if (sent == -EAGAIN) return sent;
    if (sent <= 0) return call.moved ? static_cast<Result>(call.moved) : sent;
    call.moved += static_cast<std::uint64_t>(sent);
    if (call.moved >= call.bytes || !out.continues) return static_cast<Result>(call.moved);
  }
}

Result real_out(Call& call) {
  const Outgoing& out = outgoing_of(call);
  if (!call.moved) return out.whole(call);
  while (call.moved < call.bytes) {
    std::uint64_t asked;
    Result sent = real_rest(call, out, &asked);
    if (sent <= 0) break;
    call.moved += static_cast<std::uint64_t>(sent);
    if (static_cast<std::uint64_t>(sent) < asked) break;
  }
  return static_cast<Result>(call.moved);
}

std::int64_t bytes_of(const iovec* parts, int count) {
  if (count < 0 || count > IOV_MAX) return -1;
  if (!sys::readable(parts, static_cast<std::size_t>(count))) return -1;
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len > SSIZE_MAX) return -1;
    sum = std::min<std::uint64_t>(sum + parts[i].iov_len, most_of_one_call);
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace weir::intercept
