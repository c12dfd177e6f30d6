// SPDX-License-Identifier: Apache-2.0
#include "api/by_thread.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

#include "base/clock.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/raw.h"

namespace weir::api {
namespace {

using op::Kind;
using op::Op;
using Word = std::atomic<std::uint32_t>;

// Nothing wakes a thread that waits for a descriptor: how late it may see a cancel.
constexpr int step_ms = 20;

bool is_over(Word& cancelled) { return cancelled.load(std::memory_order_acquire) != 0; }

// The events, or -ECANCELED.
Result until_ready(int fd, short events, Word& cancelled) {
  while (!is_over(cancelled)) {
    pollfd about{fd, events, 0};
    Result ready = sys::poll(&about, 1, step_ms);
    if (ready > 0) return about.revents;
    if (failed(ready) && ready != -EINTR) sys::sleep_ns(base::ns_per_ms);
  }
  return -ECANCELED;
}

// `attempt` must not wait.
template <typename Attempt>
Result when_ready(const Op& operation, short events, Word& cancelled, Attempt attempt) {
  while (true) {
    Result result = attempt();
    if (result == -EINTR) continue;
    if (result != -EAGAIN) return result;
    if (Result ready = until_ready(operation.fd, events, cancelled); failed(ready)) return ready;
  }
}

// All of it, or what was moved when it ended.
template <typename Attempt>
Result all_when_ready(const Op& operation, short events, Word& cancelled, Attempt attempt) {
  std::uint64_t moved = 0;
  while (true) {
    Result result = when_ready(operation, events, cancelled, [&] { return attempt(moved); });
    if (result <= 0) return moved ? static_cast<Result>(moved) : result;
    moved += static_cast<std::uint64_t>(result);
    if (moved >= operation.bytes) return static_cast<Result>(moved);
  }
}

Result receive(const Op& o, Word& cancelled) {
  bool waits = !(o.flags & MSG_DONTWAIT);
  auto attempt = [&](std::uint64_t at) {
    return sys::recvfrom(o.fd, static_cast<char*>(o.buffer) + at, o.bytes - at, o.flags | MSG_DONTWAIT, nullptr, nullptr);
  };
  if (!waits) return attempt(0);
  bool all = (o.flags & MSG_WAITALL) && !(o.flags & MSG_PEEK) && sys::socket_value(o.fd, SO_TYPE) == SOCK_STREAM;
  if (all) return all_when_ready(o, POLLIN, cancelled, attempt);
  return when_ready(o, POLLIN, cancelled, [&] { return attempt(0); });
}

Result send(const Op& o, Word& cancelled) {
  auto attempt = [&](std::uint64_t at) {
    return sys::sendto(o.fd, static_cast<const char*>(o.buffer) + at, o.bytes - at, o.flags | MSG_DONTWAIT, nullptr, 0);
  };
  return o.flags & MSG_DONTWAIT ? attempt(0) : all_when_ready(o, POLLOUT, cancelled, attempt);
}

// Of what can't be asked not to wait (a terminal), there is something once it is ready.
Result read(const Op& o, Word& cancelled) {
  iovec part{o.buffer, o.bytes};
  Result result = when_ready(o, POLLIN, cancelled, [&] { return sys::preadv2(o.fd, &part, 1, -1, RWF_NOWAIT); });
  if (result != -EOPNOTSUPP) return result;
  if (Result ready = until_ready(o.fd, POLLIN, cancelled); failed(ready)) return ready;
  return sys::read(o.fd, o.buffer, o.bytes);
}

Result write(const Op& o, Word& cancelled) {
  Result result = all_when_ready(o, POLLOUT, cancelled, [&](std::uint64_t at) {
    iovec part{static_cast<char*>(o.buffer) + at, o.bytes - at};
    return sys::pwritev2(o.fd, &part, 1, -1, RWF_NOWAIT);
  });
  if (result != -EOPNOTSUPP) return result;
  if (Result ready = until_ready(o.fd, POLLOUT, cancelled); failed(ready)) return ready;
  return sys::write(o.fd, o.buffer, o.bytes);
}

// (Another may take the connection first: then this waits for the next one.)
Result accept(const Op& o, Word& cancelled) {
  if (Result ready = until_ready(o.fd, POLLIN, cancelled); failed(ready)) return ready;
  return sys::accept4(o.fd, static_cast<sockaddr*>(o.buffer), static_cast<socklen_t*>(o.address_bytes), o.flags);
}

// The kernel's own time limit ends the call and not the attempt to connect; or, where a unix socket's queue is full, both.
Result connect(const Op& o, Word& cancelled) {
  timeval before{}, moment{0, step_ms * 1000};
  socklen_t size = sizeof before;
  bool limited = !failed(sys::getsockopt(o.fd, SOL_SOCKET, SO_SNDTIMEO, &before, &size)) &&
                 !failed(sys::raw(SYS_setsockopt, o.fd, SOL_SOCKET, SO_SNDTIMEO, sys::word(&moment), sizeof moment));
  Result result;
  while (true) {
    result = sys::connect(o.fd, static_cast<sockaddr*>(o.buffer), static_cast<socklen_t>(o.bytes));
    if ((result != -EAGAIN && result != -EINTR) || is_over(cancelled)) break;
    if (result == -EAGAIN) sys::sleep_ns(base::ns_per_ms);  // at once, where the socket is O_NONBLOCK
  }
  if (limited) sys::raw(SYS_setsockopt, o.fd, SOL_SOCKET, SO_SNDTIMEO, sys::word(&before), sizeof before);
  if (result == -EAGAIN || result == -EINTR) return -ECANCELED;
  if (result != -EINPROGRESS && result != -EALREADY) return result;
  if (Result ready = until_ready(o.fd, POLLOUT, cancelled); failed(ready)) return ready;
  return -sys::socket_value(o.fd, SO_ERROR);
}

Result sleep(const Op& o, Word& cancelled) {
  std::int64_t end = base::now_ns() + o.timeout_ns;
  while (!is_over(cancelled)) {
    std::int64_t left = end - base::now_ns();
    if (left <= 0) return 0;
    sys::futex_wait(cancelled, 0, left);
  }
  return -ECANCELED;
}

}  // namespace

Result do_in_steps(const Op& operation, Word& cancelled) {
  switch (operation.kind) {
    case Kind::read: return read(operation, cancelled);
    case Kind::write: return write(operation, cancelled);
    case Kind::recv: return receive(operation, cancelled);
    case Kind::send: return send(operation, cancelled);
    case Kind::accept: return accept(operation, cancelled);
    case Kind::connect: return connect(operation, cancelled);
    case Kind::poll: return until_ready(operation.fd, static_cast<short>(operation.events), cancelled);
    case Kind::timeout: return sleep(operation, cancelled);
    default: return -EINVAL;
  }
}

}  // namespace weir::api
