// SPDX-License-Identifier: Apache-2.0
// accept and connect: the ring has them whole. (Ready is no promise: another acceptor may be faster.)
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/connecting.h"
#include "gate/gate.h"
#include "intercept/errno_edge.h"
#include "intercept/open_room.h"
#include "intercept/real.h"
#include "path/call.h"
#include "path/ending.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Direction;
using path::Family;

WEIR_REAL Real<int(int, sockaddr*, socklen_t*)> real_accept{"accept"};
WEIR_REAL Real<int(int, sockaddr*, socklen_t*, int)> real_accept4{"accept4"};
WEIR_REAL Real<int(int, const sockaddr*, socklen_t)> real_connect{"connect"};

Call direct(int fd, const op::Op& operation) {
  Call call{Family::direct};
  call.socket = true;
  call.fd = fd;
  call.operation = &operation;
  return call;
}

// Its number may have been another socket's, whose end we did not see.
int accepted(int socket) {
  path::forget_number(socket);
  return socket;
}

int accept_with_room(const op::Op& operation, meter::Caller caller, Result (*real)(Call&)) {
  Result got = with_room([&] {
    Call call = direct(operation.fd, operation);
    call.real = real;
    return path::run(call, caller);
  });
  return accepted(static_cast<int>(deliver(got)));
}

Result connected(Call& call) {
  const op::Op& o = *call.operation;
  auto* peer = static_cast<const sockaddr*>(o.buffer);
  auto make = [&] { return outcome(real_connect(call.fd, peer, static_cast<socklen_t>(o.bytes))); };
  if (!gate::tries_again(o) || base::in_signal_handler()) return make();
  gate::connection_is_old();
  gate::Connecting::Turn turn = gate::connecting.begin(gate::the_gate.cores.limit());
  std::int64_t began_ns = base::now_ns();
  Result result = make();
  if (failed(result)) {
    gate::connecting.over(turn);
  } else {
    gate::connecting.made(turn, base::now_ns() - began_ns);
    base::self_unsuspended().connection = turn;
  }
  return result;
}

bool is_local(const sockaddr* peer, socklen_t bytes) {
  return bytes >= sizeof peer->sa_family && sys::may_be_read(peer) && peer->sa_family == AF_UNIX;
}

// To one in this machine, that seldom has to wait for room in its peer's queue. The socket is nobody else's yet. (One for datagrams may
// be, and waits for no room.)
Result attempt_local(Call& call) {
  const Result flags = sys::status_flags(call.fd);
  if (failed(flags) || flags & O_NONBLOCK || sys::socket_value(call.fd, SO_TYPE) == SOCK_DGRAM) return connected(call);
  const op::Op& o = *call.operation;
  sys::raw(SYS_fcntl, call.fd, F_SETFL, flags | O_NONBLOCK);
  const Result result = sys::connect(call.fd, static_cast<const sockaddr*>(o.buffer), static_cast<socklen_t>(o.bytes));
  sys::raw(SYS_fcntl, call.fd, F_SETFL, flags);
  return result;
}

// A connection that libc's call could not make leaves the socket as new, to be tried again. The ring's leaves it half
// way: bring it back by the same door that the kernel uses for libc's.
void forget_failed(int fd, Result result) {
  bool refused = result == -ECONNREFUSED || result == -ETIMEDOUT || result == -EHOSTUNREACH ||
                 result == -ENETUNREACH || result == -ECONNRESET;
  int type = 0;
  socklen_t size = sizeof type;
  if (!refused || failed(sys::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size)) || type != SOCK_STREAM) return;
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  sys::connect(fd, &nobody, sizeof nobody);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int accept(int fd, sockaddr* peer, socklen_t* peer_bytes) {
  if (!path::concerns_us()) {
    int got = real_accept(fd, peer, peer_bytes);
    path::count_in(0);
    return accepted(got);
  }
  return accept_with_room(op::accept(fd, peer, peer_bytes, 0), {"accept", __builtin_return_address(0)}, [](Call& c) {
    const op::Op& o = *c.operation;
    return outcome(real_accept(c.fd, static_cast<sockaddr*>(o.buffer), static_cast<socklen_t*>(o.address_bytes)));
  });
}

int accept4(int fd, sockaddr* peer, socklen_t* peer_bytes, int flags) {
  if (!path::concerns_us()) {
    int got = real_accept4(fd, peer, peer_bytes, flags);
    path::count_in(0);
    return accepted(got);
  }
  return accept_with_room(op::accept(fd, peer, peer_bytes, flags), {"accept4", __builtin_return_address(0)}, [](Call& c) {
    const op::Op& o = *c.operation;
    auto* size = static_cast<socklen_t*>(o.address_bytes);
    return outcome(real_accept4(c.fd, static_cast<sockaddr*>(o.buffer), size, o.flags));
  });
}

int connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  if (!path::concerns_us()) {
    int done = real_connect(fd, peer, peer_bytes);
    path::count_out(0);
    return done;
  }
  op::Op operation = op::of_socket(op::Kind::connect, fd, peer, peer_bytes, 0);
  Call call = direct(fd, operation);
  call.direction = Direction::out;
  call.when_timed_out = -EINPROGRESS;
  call.anybodys = is_local(peer, peer_bytes);
  if (call.anybodys) call.attempt = attempt_local;
  call.real = connected;
  Result result = path::run(call);
  forget_failed(fd, result);
  return static_cast<int>(deliver(result));
}

int __connect(int, const sockaddr*, socklen_t) __attribute__((alias("connect")));

}  // extern "C"
#pragma GCC visibility pop
