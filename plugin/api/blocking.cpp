// SPDX-License-Identifier: Apache-2.0
// The blocking-style calls of weir.h: fast try, then the ring's own operation with the task set aside, else the kernel.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "api/instance.h"
#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/trace.h"
#include "path/engine.h"
#include "path/waiting.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "wait/runtimes.h"
#include "weir/weir.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

using meter::Counters;

enum class Moves { nothing, in, out };

bool is_storage(int fd) {
  struct stat about;
  return !failed(sys::fstat(fd, &about)) && (S_ISREG(about.st_mode) || S_ISBLK(about.st_mode));
}

Result counted(Result result, Moves moves) {
  Counters& counters = meter::mine();
  if (result > 0 && moves == Moves::in) counters.bytes_read.add(result);
  if (result > 0 && moves == Moves::out) counters.bytes_written.add(result);
  return result;
}

// True when a task stood here and was set aside until the operation was over. Who calls this API says that the task may
// be set aside: no look at lanes or locks.
bool set_aside(const op::Op& operation, Result* result) {
  const weir_runtime* runtime = wait::runtime_of(base::self().place);
  if (!runtime || runtime->refuses() || !api::start()) return false;
  bool storage = operation.kind != op::Kind::timeout && is_storage(operation.fd);
  // The ring takes and moves a shared offset without the kernel's lock on it: two readers would get the same bytes.
  if (storage && operation.offset < 0) return false;
  std::int64_t began = base::now_ns();
  int refusal;
  meter::gauges.suspended.rise();
  meter::Traced traced = meter::begins(meter::Track::suspended, "weir call", operation.fd);
  bool done = path::perform(operation, storage, *runtime, result, &refusal);
  meter::ends(traced, meter::Track::suspended, "weir call", done ? *result : -EAGAIN);
  meter::gauges.suspended.fall();
  if (!done) return false;
  Counters& counters = meter::mine();
  counters.suspended.add(1);
  counters.blocked_ns.add(base::now_ns() - began);
  counters.hidden_ns.add(base::now_ns() - began);
  counters.suspended_ns.add(base::now_ns() - began);
  return true;
}

// The thread blocks in `call`; its core slot, if any, goes to another meanwhile. A signal does not end the call.
template <typename Call>
Result block(Call call) {
  if (auto* tell = path::before_first_wait.load(std::memory_order_relaxed)) tell();
  bool had_core = base::self().holds_core;
  std::int64_t began = base::now_ns();
  gate::give_core();
  meter::gauges.in_flight.rise();
  meter::Traced traced = meter::begins(meter::Track::parked, "weir call");
  Result result;
  do result = call();
  while (result == -EINTR);
  meter::gauges.in_flight.fall();
  meter::ends(traced, meter::Track::parked, "weir call", result);
  if (had_core) gate::take_core();
  meter::mine().parked.add(1);
  meter::mine().blocked_ns.add(base::now_ns() - began);
  meter::mine().parked_ns.add(base::now_ns() - began);
  return result;
}

// A kernel call on a descriptor that may be O_NONBLOCK: wait until it is ready, then again.
template <typename Call>
Result block_on(int fd, short events, Call call) {
  return block([&] {
    Result result = call();
    while (result == -EAGAIN) {
      pollfd about{fd, events, 0};
      sys::poll(&about, 1, -1);
      result = call();
    }
    return result;
  });
}

template <typename Call>
Result wait_for(const op::Op& operation, short events, Moves moves, Call call) {
  Result result;
  if (!set_aside(operation, &result) || result == -ECANCELED) result = block_on(operation.fd, events, call);
  return counted(result, moves);
}

// Reads without blocking, where the kernel can say: true when that settled it.
bool read_at_once(int fd, const iovec* parts, int count, off_t offset, Result* result) {
  *result = sys::preadv2(fd, parts, count, offset, RWF_NOWAIT);
  if (*result == -EAGAIN || *result == -EOPNOTSUPP) return false;
  Result asked = 0;
  for (int i = 0; i < count; ++i) asked += static_cast<Result>(parts[i].iov_len);
  // Short: a file's end, or the end of what is cached. A stream's short read is its answer.
  if (*result > 0 && *result < asked && is_storage(fd)) {
    if (offset < 0) return true;  // the offset has moved: a short read, as read(2) may return one
    return false;
  }
  meter::mine().fast_hits.add(1);
  return true;
}

Result read_parts(int fd, const iovec* parts, int count, off_t offset) {
  meter::mine().calls.add(1);
  Result result;
  if (read_at_once(fd, parts, count, offset, &result)) return counted(result, Moves::in);
  return wait_for(op::readv(fd, parts, count, offset), POLLIN, Moves::in,
                  [&] { return sys::preadv2(fd, parts, count, offset, 0); });
}

Result write_parts(int fd, const iovec* parts, int count, off_t offset) {
  meter::mine().calls.add(1);
  return wait_for(op::writev(fd, parts, count, offset), POLLOUT, Moves::out,
                  [&] { return sys::pwritev2(fd, parts, count, offset, 0); });
}

op::Op socket_op(op::Kind kind, int fd, const void* buffer, std::uint64_t bytes, int flags) {
  op::Op operation;
  operation.kind = kind;
  operation.fd = fd;
  operation.buffer = const_cast<void*>(buffer);
  operation.bytes = bytes;
  operation.flags = flags;
  return operation;
}

}  // namespace

WEIR_EXPORT ssize_t weir_pread(int fd, void* to, size_t bytes, off_t offset) {
  iovec part{to, bytes};
  return offset < 0 ? -EINVAL : read_parts(fd, &part, 1, offset);
}
WEIR_EXPORT ssize_t weir_read(int fd, void* to, size_t bytes) {
  iovec part{to, bytes};
  return read_parts(fd, &part, 1, -1);
}
WEIR_EXPORT ssize_t weir_readv(int fd, const iovec* parts, int count) { return read_parts(fd, parts, count, -1); }

WEIR_EXPORT ssize_t weir_pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  iovec part{const_cast<void*>(from), bytes};
  return offset < 0 ? -EINVAL : write_parts(fd, &part, 1, offset);
}
WEIR_EXPORT ssize_t weir_write(int fd, const void* from, size_t bytes) {
  iovec part{const_cast<void*>(from), bytes};
  return write_parts(fd, &part, 1, -1);
}

WEIR_EXPORT ssize_t weir_recv(int fd, void* to, size_t bytes, int flags) {
  meter::mine().calls.add(1);
  Result result = sys::recvfrom(fd, to, bytes, flags | MSG_DONTWAIT, nullptr, nullptr);
  bool whole = !(flags & MSG_WAITALL) || result <= 0 || static_cast<size_t>(result) == bytes;
  if (result != -EAGAIN && whole) {
    meter::mine().fast_hits.add(1);
    return counted(result, Moves::in);
  }
  // What MSG_WAITALL has got so far stays; the rest is waited for.
  size_t got = result > 0 ? static_cast<size_t>(result) : 0;
  auto* rest = static_cast<char*>(to) + got;
  Result more = wait_for(socket_op(op::Kind::recv, fd, rest, bytes - got, flags), POLLIN, Moves::in, [&] {
    return sys::recvfrom(fd, rest, bytes - got, flags, nullptr, nullptr);
  });
  counted(static_cast<Result>(got), Moves::in);
  return failed(more) ? (got ? static_cast<ssize_t>(got) : more) : static_cast<ssize_t>(got) + more;
}

WEIR_EXPORT ssize_t weir_send(int fd, const void* from, size_t bytes, int flags) {
  meter::mine().calls.add(1);
  auto* at = static_cast<const char*>(from);
  size_t sent = 0;
  Result result = sys::sendto(fd, at, bytes, flags | MSG_DONTWAIT, nullptr, 0);
  if (result == static_cast<Result>(bytes)) meter::mine().fast_hits.add(1);
  while (true) {
    if (failed(result) && result != -EAGAIN) return sent ? static_cast<ssize_t>(sent) : result;
    if (result > 0) sent += counted(result, Moves::out);
    if (sent == bytes || (flags & MSG_DONTWAIT)) return sent || !failed(result) ? static_cast<ssize_t>(sent) : result;
    result = wait_for(socket_op(op::Kind::send, fd, at + sent, bytes - sent, flags | MSG_WAITALL), POLLOUT,
                      Moves::nothing, [&] { return sys::sendto(fd, at + sent, bytes - sent, flags, nullptr, 0); });
  }
}

WEIR_EXPORT ssize_t weir_recvmsg(int fd, msghdr* message, int flags) {
  meter::mine().calls.add(1);
  return wait_for(socket_op(op::Kind::recvmsg, fd, message, 1, flags), POLLIN, Moves::in,
                  [&] { return sys::recvmsg(fd, message, flags); });
}

WEIR_EXPORT ssize_t weir_sendmsg(int fd, const msghdr* message, int flags) {
  meter::mine().calls.add(1);
  return wait_for(socket_op(op::Kind::sendmsg, fd, message, 1, flags), POLLOUT, Moves::out,
                  [&] { return sys::sendmsg(fd, message, flags); });
}

WEIR_EXPORT int weir_accept(int fd, sockaddr* peer, socklen_t* peer_bytes, int flags) {
  meter::mine().calls.add(1);
  op::Op operation = socket_op(op::Kind::accept, fd, peer, 0, flags);
  operation.address_bytes = peer_bytes;
  return static_cast<int>(wait_for(operation, POLLIN, Moves::nothing,
                                   [&] { return sys::accept4(fd, peer, peer_bytes, flags); }));
}

WEIR_EXPORT int weir_connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  meter::mine().calls.add(1);
  Result result;
  if (set_aside(socket_op(op::Kind::connect, fd, peer, peer_bytes, 0), &result) && result != -ECANCELED)
    return static_cast<int>(result);
  return static_cast<int>(block([&]() -> Result {
    Result begun = sys::connect(fd, peer, peer_bytes);
    if (begun != -EINPROGRESS) return begun;
    pollfd about{fd, POLLOUT, 0};
    sys::poll(&about, 1, -1);
    int error = 0;
    socklen_t size = sizeof error;
    sys::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    return -error;
  }));
}

WEIR_EXPORT int weir_poll(int fd, short events, std::int64_t timeout_ns) {
  meter::mine().calls.add(1);
  pollfd about{fd, events, 0};
  Result ready = sys::poll(&about, 1, 0);
  if (ready || timeout_ns == 0) {
    meter::mine().fast_hits.add(1);
    return failed(ready) ? static_cast<int>(ready) : about.revents;
  }
  Result result;
  if (set_aside(op::poll(fd, static_cast<unsigned short>(events), timeout_ns), &result))
    return result == -ECANCELED || result == -ETIME ? 0 : static_cast<int>(result);
  result = block([&] {
    timespec limit{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
    return sys::raw(SYS_ppoll, sys::word(&about), 1, timeout_ns < 0 ? 0 : sys::word(&limit), 0, 0);
  });
  return result > 0 ? about.revents : static_cast<int>(result);
}

WEIR_EXPORT int weir_fsync(int fd) {
  meter::mine().calls.add(1);
  Result result;
  if (set_aside(op::fsync(fd, false), &result) && result != -ECANCELED) return static_cast<int>(result);
  return static_cast<int>(block([&] { return sys::fsync(fd); }));
}

WEIR_EXPORT int weir_sleep(std::int64_t ns) {
  if (ns < 0) return -EINVAL;
  meter::mine().calls.add(1);
  Result result;
  if (set_aside(op::timeout(ns), &result)) return result == -ETIME ? 0 : static_cast<int>(result);
  std::int64_t end = base::now_ns() + ns;
  return static_cast<int>(block([&] {
    std::int64_t left = end - base::now_ns();
    return left > 0 ? sys::sleep_ns(left) : 0;
  }));
}
