// SPDX-License-Identifier: Apache-2.0
#include "path/plan.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "sys/file.h"

namespace weir::path {
namespace {

using meter::Reason;

Plan refuse(Reason reason) {
  Plan plan;
  plan.reason = reason;
  return plan;
}

bool writes(const Call& call) { return call.direction == Direction::out; }

// The kernel's own time limit of a socket call; io_uring does not know it. Zero means none.
std::int64_t socket_timeout_ns(const Call& call) {
  timeval limit{};
  socklen_t size = sizeof limit;
  int name = writes(call) ? SO_SNDTIMEO : SO_RCVTIMEO;
  if (failed(sys::getsockopt(call.fd, SOL_SOCKET, name, &limit, &size))) return -1;
  std::int64_t ns = limit.tv_sec * 1'000'000'000LL + limit.tv_usec * 1'000LL;
  return ns > 0 ? ns : -1;
}

Plan stream(const Call& call, bool socket) {
  Plan plan;
  plan.way = Way::poll;
  plan.events = call.events ? call.events : writes(call) ? POLLOUT : POLLIN;
  if (socket) plan.timeout_ns = socket_timeout_ns(call);
  plan.limited = plan.timeout_ns >= 0;
  if (call.timeout_ns >= 0) plan.timeout_ns = call.timeout_ns;
  return plan;
}

Plan file(const Call& call, int flags) {
  Plan plan;
  plan.storage = true;
  if (writes(call)) {
    // A buffered write copies to the page cache and is best left alone; one that waits for the device is not.
    if (!(flags & (O_DIRECT | O_SYNC | O_DSYNC))) return refuse(Reason::unsupported_call);
    plan.way = Way::file;
    plan.park_only = call.family != Family::put_at;
    return plan;
  }
  if (call.family == Family::file_at) {
    plan.way = Way::file;
    return plan;
  }
  plan.way = Way::warm;
  plan.park_only = flags & O_DIRECT;  // nothing stays in the cache for the call to find
  return plan;
}

}  // namespace

Plan plan_for(const Call& call) {
  // Not a descriptor's affair: sleep. Or nothing that the ring could do: poll of many descriptors.
  if (call.family == Family::direct && (call.fd < 0 || !call.operation)) {
    Plan plan;
    plan.way = Way::direct;
    plan.park_only = !call.operation;
    return plan;
  }
  bool at = call.family == Family::file_at || call.family == Family::put_at;
  // To the ring, -1 means the shared offset; to libc it is an error.
  if (at && call.offset < 0) return refuse(Reason::unsupported_call);
  Result flags = sys::status_flags(call.fd);
  struct stat about;
  if (failed(flags) || (flags & O_PATH) || failed(sys::fstat(call.fd, &about))) return refuse(Reason::unsupported_fd);
  bool storage = S_ISREG(about.st_mode) || S_ISBLK(about.st_mode);
  if (call.family == Family::direct) {
    bool sync = call.operation->kind == op::Kind::fsync;
    if (!sync && (flags & O_NONBLOCK)) return refuse(Reason::nonblocking);
    Plan plan;
    plan.way = Way::direct;
    plan.storage = storage;
    if (call.socket) plan.timeout_ns = socket_timeout_ns(call);
    plan.limited = plan.timeout_ns >= 0;
    return plan;
  }
  if (storage && sys::in_memory(call.fd)) return refuse(Reason::unsupported_fd);
  if (storage) return flags & O_NONBLOCK ? refuse(Reason::nonblocking) : file(call, static_cast<int>(flags));
  if (S_ISDIR(about.st_mode)) return refuse(Reason::unsupported_fd);
  // A positional call on a stream is an error that libc reports best.
  if (at) return refuse(Reason::unsupported_call);
  // poll and epoll_wait have a time limit of their own and do not care for O_NONBLOCK.
  bool readiness = call.timeout_ns >= 0 || call.direction == Direction::none;
  if ((flags & O_NONBLOCK) && !readiness) return refuse(Reason::nonblocking);
  return stream(call, call.socket || S_ISSOCK(about.st_mode));
}

}  // namespace weir::path
