// SPDX-License-Identifier: Apache-2.0
// The blocking-style calls of weir.h: fast try, then the ring's own operation with the task set aside, else the kernel.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "api/instance.h"
#include "base/clock.h"
#include "base/thread.h"
#include "gate/connecting.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "meter/sites.h"
#include "meter/trace.h"
#include "path/call.h"
#include "path/engine.h"
#include "path/guess.h"
#include "path/in_hope.h"
#include "path/low_water.h"
#include "path/ringless.h"
#include "path/waiting.h"
#include "path/warming.h"
#include "pool/pool.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/lane.h"
#include "wait/runtimes.h"
#include "weir/weir.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

using meter::Counters;
using meter::Reason;

enum class Moves { nothing, in, out };

// One call of the program's: what it moves, and whose it is; by itself the function's that makes one of these.
struct Made {
  Moves moves;
  meter::Caller caller;
};
constexpr Made made(Moves moves, const char* call = __builtin_FUNCTION(), const void* to = __builtin_return_address(0)) {
  return {moves, {call, to}};
}

void account(const Made& by, meter::Served served, Reason reason, std::int64_t took_ns, bool hidden, Result result) {
  meter::account({by.caller, served, reason, by.moves == Moves::nothing ? 0 : result, took_ns, hidden ? took_ns : 0});
}

Result counted(Result result, Moves moves, int fd) {
  if (moves == Moves::in && result >= 0) gate::connection_is_old_at(fd);
  Counters& counters = meter::mine();
  if (result > 0 && moves == Moves::in) counters.bytes_read.add(result);
  if (result > 0 && moves == Moves::out) counters.bytes_written.add(result);
  return result;
}

std::uint64_t sum_of(const iovec* parts, int count) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

// A file at its shared offset: the ring would move that without the kernel's lock on it, and two readers would get the same bytes. So
// the ring reads what comes next into nowhere, and the kernel's own call finds it cached. False: it can't be done so.
bool read_next(const op::Op& operation, const weir_runtime& runtime, Result* result, int* refusal) {
  *refusal = 0;
  Result flags = sys::status_flags(operation.fd), offset = sys::lseek(operation.fd, 0, SEEK_CUR);
  if (operation.kind != op::Kind::readv || failed(flags) || (flags & O_DIRECT) || failed(offset)) return false;
  struct stat about;
  if (failed(sys::known_of(operation.fd, &about)) || !path::stays_cached(about.st_dev)) return false;
  auto* parts = static_cast<iovec*>(operation.buffer);
  auto count = static_cast<int>(operation.bytes);
  if (!path::warm(operation.fd, offset, sum_of(parts, count), runtime, refusal)) return false;
  *result = sys::preadv2(operation.fd, parts, count, -1, 0);
  return true;
}

// Reason::none when a task stood here and was set aside until the operation was over. Who calls this API says that the
// task may be set aside: no look at lanes. But a lock, where those are counted, the next task on the thread could want.
Reason set_aside(const Made& by, const op::Op& operation, Result* result) {
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  const weir_runtime* runtime = wait::runtime_of(base::self().place);
  if (!runtime) return Reason::outside;
  if (int refusal = runtime->refuses()) return wait::reason_of(refusal);
  if (base::self().lock_depth > 0) return Reason::lock_held;
  if (!api::start()) return Reason::no_ring;
  bool storage = op::may_be_of_storage(operation.kind) && sys::is_storage(operation.fd);
  bool next = storage && operation.offset < 0;
  if (next && operation.kind != op::Kind::readv) return Reason::unsupported_call;
  std::int64_t began = base::now_ns();
  int refusal;
  meter::gauges.suspended.rise();
  meter::Traced traced = meter::begins(meter::Track::suspended, by.caller.call, operation.fd);
  bool done = next ? read_next(operation, *runtime, result, &refusal)
                   : path::perform(operation, storage, *runtime, result, &refusal);
  meter::ends(traced, meter::Track::suspended, by.caller.call, done ? *result : -EAGAIN);
  meter::gauges.suspended.fall();
  if (!done) return refusal ? wait::reason_of(refusal) : next ? Reason::unsupported_call : Reason::no_ring;
  std::int64_t took = path::count_suspended(began);
  account(by, meter::Served::suspended, Reason::none, took, true, *result);
  return Reason::none;
}

// The thread blocks in `call`, `why` it was not set aside; its core slot, if any, goes to another meanwhile. A signal does
// not end the call. `stored`: a file or device that it waits for, which takes a permit; -1: none.
template <typename Call>
Result block(const Made& by, Reason why, Call call, int stored = -1) {
  if (auto* tell = path::before_first_wait.load(std::memory_order_relaxed)) tell();
  if (why == Reason::lock_held) pool::serve_without_me();
  bool had_core = base::self().holds_core;
  std::int64_t began = base::now_ns();
  gate::give_core();
  gate::Gate& gate = gate::the_gate;
  if (stored >= 0) gate::wants_permit(stored);
  bool permit = stored >= 0 && gate.permits.acquire(gate.wait_ns.load(std::memory_order_relaxed));
  std::int64_t at_once = meter::gauges.in_flight.rise();
  meter::Traced traced = meter::begins(meter::Track::parked, by.caller.call);
  std::int64_t flew = base::now_ns();
  Result result;
  do result = call();
  while (result == -EINTR);
  std::int64_t flown_ns = base::now_ns() - flew;
  if (stored >= 0) meter::stored_flight_ends(at_once, flown_ns);
  meter::gauges.in_flight.fall(flown_ns);
  if (permit) path::release_permit();
  meter::ends(traced, meter::Track::parked, by.caller.call, result);
  std::int64_t took = base::now_ns() - began;
  if (had_core) gate::take_core();
  Counters& counters = meter::mine();
  counters.parked.add(1);
  counters.blocked_ns.add(took);
  counters.parked_ns.add(took);
  if (had_core) counters.hidden_ns.add(took);
  if (stored >= 0) {
    counters.storage_ops.add(1);
    if (result > 0 && by.moves != Moves::nothing) counters.storage_bytes.add(result);
  }
  counters.reasons[static_cast<int>(why)].add(1);
  account(by, meter::Served::parked, why, took, had_core, result);
  return result;
}

// A kernel call on a descriptor that may be O_NONBLOCK: wait until it is ready, then again; unless it is asked not to wait.
template <typename Call>
Result block_on(const Made& by, Reason why, const op::Op& operation, short events, Call call) {
  bool waits = !op::is_of_sockets(operation.kind) || !(operation.flags & MSG_DONTWAIT);
  bool storage = op::may_be_of_storage(operation.kind) && sys::is_storage(operation.fd);
  return block(by, why, [&] {
    Result result = call();
    while (result == -EAGAIN && waits) {
      pollfd about{operation.fd, events, 0};
      sys::poll(&about, 1, -1);
      result = call();
    }
    return result;
  }, storage ? operation.fd : -1);
}

// Without a ring: at least the wait for others is no thread's. (Only of what was tried, and found to wait: an error is not polled for.)
void wait_aside(const op::Op& operation, short events) {
  bool tried = operation.kind == op::Kind::send || (operation.kind == op::Kind::recv && operation.waits_first);
  if (!tried) return;
  op::Op until_ready = op::poll(operation.fd, static_cast<std::uint32_t>(events));
  Result ready;
  int refusal;
  path::perform(until_ready, false, *wait::runtime_of(base::self().place), &ready, &refusal);
}

std::int64_t end_after(std::int64_t ns) {
  constexpr std::int64_t never = INT64_MAX;
  std::int64_t now = base::now_ns();
  return ns > never - now ? never : now + ns;
}

template <typename Call>
Result wait_for(const Made& by, const op::Op& operation, short events, Call call) {
  Result result;
  Reason why = set_aside(by, operation, &result);
  if (why == Reason::no_ring) wait_aside(operation, events);
  if (why == Reason::none && result == -ECANCELED) why = Reason::unsupported_call;
  if (why != Reason::none) result = block_on(by, why, operation, events, call);
  return counted(result, by.moves, operation.fd);
}

// A file at its shared offset. A read that breaks off has moved that, and another may read on from there: so a look first, which
// moves nothing, then the kernel's own read. False: it is no file.
bool read_file_at_once(int fd, const iovec* parts, int count, Result* result) {
  Result at = sys::lseek(fd, 0, SEEK_CUR);
  struct stat about;
  if (failed(at) || failed(sys::known_of(fd, &about)) || !(S_ISREG(about.st_mode) || S_ISBLK(about.st_mode))) return false;
  std::uint64_t bytes = sum_of(parts, count);
  Result found = bytes ? path::at_hand(fd, at, bytes, S_ISREG(about.st_mode) ? about.st_size : 0) : 0;
  *result = found < 0 ? -EAGAIN : sys::preadv2(fd, parts, count, -1, 0);
  return true;
}

// Reads without blocking, where the kernel can say: true when that settled it.
bool read_at_once(int fd, const iovec* parts, int count, off_t offset, Result* result) {
  if (offset < 0 && read_file_at_once(fd, parts, count, result)) {
    if (*result == -EAGAIN || *result == -EINTR) return false;
    meter::mine().fast_hits.add(1);
    return true;
  }
  *result = sys::preadv2(fd, parts, count, offset, RWF_NOWAIT);
  if (*result == -EAGAIN) return false;
  std::uint64_t bytes = sum_of(parts, count);
  if (*result == -EOPNOTSUPP) {
    if (offset < 0 || !path::look_in_hope(fd, offset, bytes)) return false;
    *result = path::made_in_hope(fd, bytes, [&] { return sys::preadv2(fd, parts, count, offset, 0); });
    if (*result == -EINTR) return false;
    meter::mine().fast_hits.add(1);
    return true;
  }
  // Short: a file's end, or the end of what is cached. A stream's short read is its answer.
  if (*result > 0 && static_cast<std::uint64_t>(*result) < bytes && offset >= 0 && sys::is_storage(fd)) return false;
  meter::mine().fast_hits.add(1);
  return true;
}

Result read_parts(const Made& by, int fd, const iovec* parts, int count, off_t offset) {
  meter::mine().calls.add(1);
  Result result;
  if (read_at_once(fd, parts, count, offset, &result)) return counted(result, Moves::in, fd);
  return wait_for(by, op::readv(fd, parts, count, offset), POLLIN,
                  [&] { return sys::preadv2(fd, parts, count, offset, 0); });
}

// MSG_WAITALL with MSG_PEEK: what is looked at comes again with the next piece, so there are no parts, neither here nor in the
// ring. Where the socket does not wait for all, it is looked at again; poll says only that there is something.
Result look_at_all(const Made& by, int fd, void* to, std::size_t bytes, int flags) {
  bool stream = sys::socket_value(fd, SO_TYPE) == SOCK_STREAM;
  op::Op operation = op::of_socket(op::Kind::recv, fd, to, bytes, flags);
  return counted(block_on(by, Reason::unsupported_call, operation, POLLIN, [&] {
    while (true) {
      pollfd about{fd, POLLRDHUP, 0};
      bool ended = sys::poll(&about, 1, 0) > 0;  // looked at first: what comes before the end is there then
      Result seen = sys::recvfrom(fd, to, bytes, flags, nullptr, nullptr);
      if (seen <= 0 || static_cast<std::size_t>(seen) == bytes || !stream || ended) return seen;
      sys::sleep_ns(base::ns_per_ms);
    }
  }), Moves::in, fd);
}

Result write_part(const Made& by, int fd, const iovec& part, off_t offset) {
  bool here = false;  // it was this thread's own call, and with it the signal that there is no reader
  Result result = wait_for(by, op::writev(fd, &part, 1, offset), POLLOUT, [&] {
    here = true;
    return sys::pwritev2(fd, &part, 1, offset, 0);
  });
  if (result != -EPIPE || here) return result;
  Result again = sys::pwritev2(fd, &part, 1, offset, RWF_NOWAIT);
  return again == -EAGAIN ? write_part(by, fd, part, offset) : again;  // somebody reads after all
}

}  // namespace

WEIR_EXPORT ssize_t weir_pread(int fd, void* to, size_t bytes, off_t offset) {
  iovec part{to, bytes};
  return offset < 0 ? -EINVAL : read_parts(made(Moves::in), fd, &part, 1, offset);
}
WEIR_EXPORT ssize_t weir_read(int fd, void* to, size_t bytes) {
  iovec part{to, bytes};
  return read_parts(made(Moves::in), fd, &part, 1, -1);
}
WEIR_EXPORT ssize_t weir_readv(int fd, const iovec* parts, int count) {
  if (count < 0 || count > IOV_MAX) return -EINVAL;
  if (count && !(sys::may_be_read(parts) && sys::may_be_read(&parts[count - 1].iov_len))) return -EFAULT;
  return read_parts(made(Moves::in), fd, parts, count, -1);
}

WEIR_EXPORT ssize_t weir_pwrite(int fd, const void* from, size_t bytes, off_t offset) {
  iovec part{const_cast<void*>(from), bytes};
  if (offset < 0) return -EINVAL;
  meter::mine().calls.add(1);
  return write_part(made(Moves::out), fd, part, offset);
}
// The ring writes to a stream what has room there; a thread's write waits for the rest.
WEIR_EXPORT ssize_t weir_write(int fd, const void* from, size_t bytes) {
  meter::mine().calls.add(1);
  auto* at = static_cast<char*>(const_cast<void*>(from));
  size_t sent = 0;
  while (true) {
    iovec part{at + sent, bytes - sent};
    Result result = write_part(made(Moves::out), fd, part, -1);
    if (failed(result)) return sent ? static_cast<ssize_t>(sent) : result;
    sent += static_cast<size_t>(result);
    if (!result || sent == bytes || sys::is_storage(fd)) return static_cast<ssize_t>(sent);
    // Of a socket that has taken a part no signal tells.
    if (sys::socket_value(fd, SO_TYPE) != 0) {
      ssize_t rest = weir_send(fd, at + sent, bytes - sent, MSG_NOSIGNAL);
      return static_cast<ssize_t>(sent) + (rest > 0 ? rest : 0);
    }
  }
}

WEIR_EXPORT ssize_t weir_recv(int fd, void* to, size_t bytes, int flags) {
  meter::mine().calls.add(1);
  Result result = -EAGAIN;
  bool try_now = flags & MSG_DONTWAIT || path::is_without_ring() || !path::expects_nothing(fd);
  if (try_now) {
    result = sys::recvfrom(fd, to, bytes, flags | MSG_DONTWAIT, nullptr, nullptr);
    path::tried(fd, result == -EAGAIN);
  }
  bool whole = !(flags & MSG_WAITALL) || result <= 0 || static_cast<size_t>(result) == bytes ||
               sys::socket_value(fd, SO_TYPE) != SOCK_STREAM;
  if ((result != -EAGAIN && whole) || flags & MSG_DONTWAIT) {
    meter::mine().fast_hits.add(1);
    return counted(result, Moves::in, fd);
  }
  if ((flags & MSG_WAITALL) && (flags & MSG_PEEK)) return look_at_all(made(Moves::in), fd, to, bytes, flags);
  // What MSG_WAITALL has got so far stays; the rest is waited for, which a time limit, O_NONBLOCK or a signal may cut in pieces.
  bool tried = try_now && !(flags & (MSG_OOB | MSG_ERRQUEUE));
  bool all = (flags & MSG_WAITALL) && sys::socket_value(fd, SO_TYPE) == SOCK_STREAM;
  size_t got = result > 0 ? static_cast<size_t>(result) : 0;
  if (got) counted(static_cast<Result>(got), Moves::in, fd);
  while (true) {
    auto* rest = static_cast<char*>(to) + got;
    op::Op operation = op::of_socket(op::Kind::recv, fd, rest, bytes - got, flags);
    operation.waits_first = tried;
    Result more = wait_for(made(Moves::in), operation, POLLIN, [&] {
      return sys::recvfrom(fd, rest, bytes - got, flags, nullptr, nullptr);
    });
    if (failed(more)) return got ? static_cast<ssize_t>(got) : more;
    got += static_cast<size_t>(more);
    if (!more || !all || got == bytes) return static_cast<ssize_t>(got);
  }
}

WEIR_EXPORT ssize_t weir_send(int fd, const void* from, size_t bytes, int flags) {
  meter::mine().calls.add(1);
  auto* at = static_cast<const char*>(from);
  size_t sent = 0;
  Result result = sys::sendto(fd, at, bytes, flags | MSG_DONTWAIT, nullptr, 0);
  if (result == static_cast<Result>(bytes)) meter::mine().fast_hits.add(1);
  counted(result, Moves::out, fd);
  while (true) {
    if (failed(result) && result != -EAGAIN) return sent ? static_cast<ssize_t>(sent) : result;
    if (result > 0) sent += static_cast<size_t>(result);
    if (sent == bytes || (flags & MSG_DONTWAIT)) return sent || !failed(result) ? static_cast<ssize_t>(sent) : result;
    result = wait_for(made(Moves::out), op::of_socket(op::Kind::send, fd, at + sent, bytes - sent, flags | MSG_WAITALL),
                      POLLOUT, [&] { return sys::sendto(fd, at + sent, bytes - sent, flags, nullptr, 0); });
  }
}

namespace {

// What MSG_WAITALL has not got by a first part of so many bytes. (What is handed over beside the bytes ends it, as in the kernel.)
ssize_t rest_of(int fd, const msghdr& message, size_t had, int flags) {
  ssize_t more = 0;
  bool goes_on = !message.msg_controllen;
  for (size_t i = 0; i < message.msg_iovlen && goes_on; ++i) {
    const iovec& part = message.msg_iov[i];
    size_t filled = had < part.iov_len ? had : part.iov_len, left = part.iov_len - filled;
    had -= filled;
    if (!left) continue;
    ssize_t got = weir_recv(fd, static_cast<char*>(part.iov_base) + filled, left, flags);
    if (got > 0) more += got;
    goes_on = got == static_cast<ssize_t>(left);
  }
  return more;
}

}  // namespace

WEIR_EXPORT ssize_t weir_recvmsg(int fd, msghdr* message, int flags) {
  meter::mine().calls.add(1);
  Result got = wait_for(made(Moves::in), op::of_socket(op::Kind::recvmsg, fd, message, 1, flags), POLLIN,
                        [&] { return sys::recvmsg(fd, message, flags); });
  if (got < 0) return got;
  path::sockets_came(*message);
  bool whole = !(flags & MSG_WAITALL) || flags & MSG_PEEK || !got || sys::socket_value(fd, SO_TYPE) != SOCK_STREAM;
  return whole ? got : got + rest_of(fd, *message, static_cast<size_t>(got), flags);
}

WEIR_EXPORT ssize_t weir_sendmsg(int fd, const msghdr* message, int flags) {
  meter::mine().calls.add(1);
  return wait_for(made(Moves::out), op::of_socket(op::Kind::sendmsg, fd, message, 1, flags), POLLOUT,
                  [&] { return sys::sendmsg(fd, message, flags); });
}

WEIR_EXPORT int weir_accept(int fd, sockaddr* peer, socklen_t* peer_bytes, int flags) {
  meter::mine().calls.add(1);
  return static_cast<int>(wait_for(made(Moves::nothing), op::accept(fd, peer, peer_bytes, flags), POLLIN,
                                   [&] { return sys::accept4(fd, peer, peer_bytes, flags); }));
}

WEIR_EXPORT int weir_connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  meter::mine().calls.add(1);
  Result result;
  Made by = made(Moves::nothing);
  Reason why = set_aside(by, op::of_socket(op::Kind::connect, fd, peer, peer_bytes, 0), &result);
  // -EAGAIN: a unix socket's queue is full, and the kernel does not wait. Nothing tells when there is room.
  while (why == Reason::none && result == -EAGAIN) {
    Result slept;
    why = set_aside(by, op::timeout(base::ns_per_ms), &slept);
    if (why == Reason::none) why = set_aside(by, op::of_socket(op::Kind::connect, fd, peer, peer_bytes, 0), &result);
  }
  if (why == Reason::none && result != -ECANCELED) return static_cast<int>(result);
  return static_cast<int>(block(by, why, [&]() -> Result {
    Result begun;
    while ((begun = sys::connect(fd, peer, peer_bytes)) == -EAGAIN) sys::sleep_ns(base::ns_per_ms);
    if (begun != -EINPROGRESS && begun != -EALREADY) return begun;
    pollfd about{fd, POLLOUT, 0};
    while (sys::poll(&about, 1, -1) == -EINTR) {}
    return -sys::socket_value(fd, SO_ERROR);
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
  Made by = made(Moves::nothing);
  Reason why = set_aside(by, op::poll(fd, static_cast<unsigned short>(events), timeout_ns), &result);
  if (why == Reason::none)
    return result == -ECANCELED || result == -ETIME ? 0 : static_cast<int>(result);
  std::int64_t end = end_after(timeout_ns);
  result = block(by, why, [&] {
    std::int64_t left = std::max<std::int64_t>(end - base::now_ns(), 0);
    timespec limit{static_cast<time_t>(left / base::ns_per_s), static_cast<long>(left % base::ns_per_s)};
    return sys::raw(SYS_ppoll, sys::word(&about), 1, timeout_ns < 0 ? 0 : sys::word(&limit), 0, 0);
  });
  return result > 0 ? about.revents : static_cast<int>(result);
}

WEIR_EXPORT int weir_fsync(int fd) {
  meter::mine().calls.add(1);
  Result result;
  Made by = made(Moves::nothing);
  Reason why = set_aside(by, op::fsync(fd, false), &result);
  if (why == Reason::none && result != -ECANCELED) return static_cast<int>(result);
  return static_cast<int>(block(by, why, [&] { return sys::fsync(fd); }));
}

WEIR_EXPORT int weir_sleep(std::int64_t ns) {
  if (ns < 0) return -EINVAL;
  meter::mine().calls.add(1);
  Result result;
  Made by = made(Moves::nothing);
  Reason why = set_aside(by, op::timeout(ns), &result);
  if (why == Reason::none) return result == -ETIME ? 0 : static_cast<int>(result);
  std::int64_t end = end_after(ns);
  return static_cast<int>(block(by, why, [&] {
    std::int64_t left = end - base::now_ns();
    return left > 0 ? sys::sleep_ns(left) : 0;
  }));
}
