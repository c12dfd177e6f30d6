// SPDX-License-Identifier: Apache-2.0
#include "intercept/outgoing.h"

#include <limits.h>
#include <poll.h>

#include <algorithm>

#include "base/disturbed.h"
#include "intercept/rest.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;

// The program's parts from call.moved on, all in one call: a pipe of packets makes one of each. How many they are.
int rest_of(const Call& call, iovec* rest) {
  std::uint64_t skip = call.moved, left = call.bytes - call.moved;
  int count = 0;
  for (int i = 0; i < call.part_count && left; ++i) {
    const iovec& part = call.parts[i];
    if (skip >= part.iov_len) {
      skip -= part.iov_len;
      continue;
    }
    std::uint64_t here = std::min<std::uint64_t>(part.iov_len - skip, left);
    rest[count++] = {static_cast<char*>(part.iov_base) + skip, here};
    left -= here;
    skip = 0;
  }
  return count;
}

Result attempt_rest(const Call& call, const Outgoing& out) {
  auto* rest = static_cast<iovec*>(__builtin_alloca(static_cast<std::size_t>(call.part_count) * sizeof(iovec)));
  int count = rest_of(call, rest);
  if (!out.socket) return sys::pwritev2(call.fd, rest, count, -1, RWF_NOWAIT);
  if (ended(call.fd, POLLOUT)) return 0;
  msghdr message{};
  message.msg_iov = rest;
  message.msg_iovlen = static_cast<std::size_t>(count);
  return sys::sendmsg(call.fd, &message, out.flags | MSG_DONTWAIT | MSG_NOSIGNAL);
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
  if (!call.moved) {
    const base::Disturbed disturbed;
    Result sent = out.whole(call);
    bool in_part = out.continues && sent > 0 && static_cast<std::uint64_t>(sent) < call.bytes;
    if (!in_part || !disturbed.by_us()) return sent;
    call.moved = static_cast<std::uint64_t>(sent);
  }
  return attempt_until_over(call, POLLOUT);
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
