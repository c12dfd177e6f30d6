// SPDX-License-Identifier: Apache-2.0
#include "path/plan.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <atomic>

#include "path/warming.h"
#include "sys/file.h"

namespace weir::path {
namespace {

using meter::Reason;

Plan refuse(Reason reason) {
  Plan plan;
  plan.reason = reason;
  return plan;
}

// Only a connection that is made by an exchange with the other side is under way once its time is over. Others are refused by then, or
// wait for a place at the other side, which the ring doesn't.
bool connects_elsewhere(const Call& call) {
  if (call.operation->kind != op::Kind::connect) return false;
  int domain = sys::socket_value(call.fd, SO_DOMAIN);
  bool exchanges = (domain == AF_INET || domain == AF_INET6) && sys::socket_value(call.fd, SO_TYPE) == SOCK_STREAM;
  return !exchanges;
}

bool writes(const Call& call) { return call.direction == Direction::out; }

// The kernel's own time limit of a socket call; io_uring does not know it. Zero means none.
std::int64_t timeout_ns_of(int fd, int name) {
  timeval limit{};
  socklen_t size = sizeof limit;
  if (failed(sys::getsockopt(fd, SOL_SOCKET, name, &limit, &size))) return -1;
  std::int64_t ns = limit.tv_sec * 1'000'000'000LL + limit.tv_usec * 1'000LL;
  return ns > 0 ? ns : -1;
}

std::int64_t socket_timeout_ns(const Call& call) { return timeout_ns_of(call.fd, writes(call) ? SO_SNDTIMEO : SO_RCVTIMEO); }

// Is there an operation that is all of this call? What waits in it holds on to what the number stood for, as the kernel's own
// call does. (A named pipe cannot break off: it would block the ring where another reader is faster.)
bool may_be_received(const Call& call, std::uint32_t mode) {
  if (call.family == Family::stream_in) return call.operation && !call.moved;
  return call.family == Family::next && call.part_count > 0 && (S_ISSOCK(mode) || (S_ISFIFO(mode) && call.can_break_off));
}

// Does a read end where poll says nothing? Of a named pipe that nobody has open to write, and never had since it was opened;
// and of a terminal that is told not to wait.
bool ends_unseen(const Call& call, std::uint32_t mode) {
  if (call.family != Family::next) return false;
  if (S_ISCHR(mode)) return sys::may_read_nothing(call.fd);
  return S_ISFIFO(mode) && !call.can_break_off && (call.part_count || !sys::on_pipefs(call.fd));  // stdio did not try
}

Plan stream(const Call& call, std::uint32_t mode) {
  bool socket = S_ISSOCK(mode);
  Plan plan;
  plan.way = Way::poll;
  plan.events = call.events ? call.events : writes(call) ? POLLOUT : POLLIN;
  // poll and epoll_wait have limits of their own, and know none of a socket's.
  if (socket && call.direction != Direction::none) plan.timeout_ns = socket_timeout_ns(call);
  plan.limited = plan.timeout_ns >= 0;
  // The time of a unix socket's send begins anew with each part that is taken.
  plan.park_only = plan.limited && writes(call) && sys::socket_value(call.fd, SO_DOMAIN) == AF_UNIX;
  if (!socket && ends_unseen(call, mode)) plan.park_only = true;
  // stdio makes its own call when the wait is over, and that would wait as long again.
  if (plan.limited && call.family == Family::next && !call.part_count) plan.park_only = true;
  if (call.timeout_ns >= 0) plan.timeout_ns = call.timeout_ns;
  if (plan.timeout_ns < 0 && may_be_received(call, mode)) plan.way = Way::receive;
  plan.socket = socket;
  return plan;
}

Plan file(const Call& call, std::uint64_t device, int flags) {
  Plan plan;
  plan.storage = true;
  // A file's calls block for all that; but the ring's would fail.
  plan.park_only = flags & O_NONBLOCK;
  if (writes(call)) {
    // A buffered write copies to the page cache and is best left alone; one that waits for the device is not.
    if (!(flags & (O_DIRECT | O_SYNC | O_DSYNC))) return refuse(Reason::buffered_write);
    plan.way = Way::file;
    // At the end of a file a short write can't be followed by another try of the whole.
    plan.park_only |= call.family != Family::put_at || (flags & O_APPEND);
    return plan;
  }
  if (call.family == Family::file_at) {
    plan.way = Way::file;
    return plan;
  }
  plan.way = Way::warm;
  plan.park_only |= (flags & O_DIRECT) || !stays_cached(device);  // nothing is in the cache then for the call to find
  return plan;
}

// Does the file lie on a file system without a device? Of the device that was last asked about, it is known.
bool in_memory(const Call& call, std::uint64_t device) {
  static constinit std::atomic<std::uint64_t> known{~std::uint64_t{0}};  // the device, and the answer in the lowest bit
  std::uint64_t last = known.load(std::memory_order_relaxed);
  if (last >> 1 == device) return last & 1;
  bool is = sys::in_memory(call.fd);
  known.store(device << 1 | (is ? 1 : 0), std::memory_order_relaxed);
  return is;
}

// What the call's name says of the descriptor (on another one it has failed, or will), what an attempt saw of it, or a look now.
bool know(const Call& call, std::uint32_t* mode, std::uint64_t* device) {
  if (call.socket) {
    *mode = S_IFSOCK;
    *device = 0;
    return true;
  }
  *mode = call.mode;
  *device = call.device;
  if (*mode) return true;
  struct stat about;
  if (failed(sys::known_of(call.fd, &about))) return false;
  *mode = about.st_mode;
  *device = about.st_dev;
  return true;
}

}  // namespace

// The ring copies on one thread for all: of what takes long to copy, as much as is there already is better done by each task.
bool may_go_untried(const Call& call) {
  constexpr std::uint64_t most_bytes = 16 * 1024;
  constexpr int harmless = MSG_NOSIGNAL | MSG_CMSG_CLOEXEC;
  if (call.bytes > most_bytes) return false;
  if (call.family == Family::next) return call.part_count == 1;
  return call.family == Family::stream_in && call.operation && call.operation->kind == op::Kind::recv &&
         !(call.operation->flags & ~harmless);
}

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
  Result flags = call.status_flags >= 0 ? call.status_flags : sys::status_flags(call.fd);
  std::uint32_t mode;
  std::uint64_t device;
  if (failed(flags) || (flags & O_PATH) || !know(call, &mode, &device)) return refuse(Reason::unsupported_fd);
  bool storage = S_ISREG(mode) || S_ISBLK(mode);
  if (call.family == Family::direct) {
    bool sync = call.operation->kind == op::Kind::fsync;
    if (!sync && (flags & O_NONBLOCK)) return refuse(Reason::nonblocking);
    Plan plan;
    plan.way = Way::direct;
    plan.storage = storage;
    if (call.socket) plan.timeout_ns = socket_timeout_ns(call);
    plan.limited = plan.timeout_ns >= 0;
    plan.park_only = connects_elsewhere(call);
    return plan;
  }
  if (storage && in_memory(call, device)) return refuse(Reason::unsupported_fd);
  if (storage) return file(call, device, static_cast<int>(flags));
  if (S_ISDIR(mode)) return refuse(Reason::unsupported_fd);
  // A positional call on a stream is an error that libc reports best.
  if (at) return refuse(Reason::unsupported_call);
  // poll and epoll_wait have a time limit of their own and do not care for O_NONBLOCK.
  bool readiness = call.timeout_ns >= 0 || call.direction == Direction::none;
  if ((flags & O_NONBLOCK) && !readiness) return refuse(Reason::nonblocking);
  return stream(call, mode);
}

bool waits_without_limit(int socket) {
  Result flags = sys::status_flags(socket);
  return failed(flags) || (!(flags & O_NONBLOCK) && timeout_ns_of(socket, SO_RCVTIMEO) < 0);
}

bool is_of_device(const Call& call) {
  std::uint32_t mode;
  std::uint64_t device;
  return know(call, &mode, &device) && S_ISREG(mode) && !in_memory(call, device);
}

bool ends_by_itself(const Call& call, const Plan& plan) {
  if (call.family != Family::direct) return !waits_for_others(plan);
  if (!call.operation) return call.habit != nullptr;
  op::Kind kind = call.operation->kind;
  return kind != op::Kind::accept && kind != op::Kind::connect && kind != op::Kind::memory;
}

}  // namespace weir::path
