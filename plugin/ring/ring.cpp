// SPDX-License-Identifier: Apache-2.0
#include "ring/ring.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "meter/counters.h"
#include "meter/trace.h"
#include "sys/own.h"
#include "sys/raw.h"
#include "sys/wakes.h"

namespace weir::ring {
namespace {

// Newer than liburing 2.3's own header in places: the kernel's values.
constexpr unsigned setup_single_issuer = 1u << 12;
constexpr unsigned setup_defer_taskrun = 1u << 13;

// user_data: a Request*, or one of these. Requests are aligned, so the low bits of theirs are zero.
constexpr std::uint64_t tag_ignore = 1;  // of cancels
constexpr std::uint64_t tag_watch = 2;
constexpr std::uint64_t tag_limit = 4;   // of a linked timeout: with the Request*
constexpr std::uint64_t tag_bits = 7;

constexpr unsigned blocking_workers = 512;

// Since Linux 6.13 one call of the kernel looks at no more completions than these of those that are due; the rest lie there until
// the next.
constexpr unsigned looked_at_once = 20;

void set_time(op::Request& request) {
  request.time[0] = request.op.timeout_ns / 1'000'000'000;
  request.time[1] = request.op.timeout_ns % 1'000'000'000;
}

// IORING_OP_FUTEX_WAIT; any waker will do.
void fill_futex(io_uring_sqe* sqe, const void* word, std::uint32_t expected, int flags) {
  constexpr int op_futex_wait = 51;
  io_uring_prep_rw(op_futex_wait, sqe, flags, word, 0, expected);
  sqe->addr3 = ~0u;
}
constexpr int futex_u32 = 0x02, futex_private = 0x80;

const char* name_of(op::Kind kind) {
  static constexpr const char* names[] = {"poll",   "timeout", "read", "write",   "readv",   "writev", "fsync",
                                          "memory", "recv",    "send", "recvmsg", "sendmsg", "accept", "connect"};
  return names[static_cast<int>(kind)];
}

unsigned clock_flags(const op::Op& o) {
  return (o.absolute ? IORING_TIMEOUT_ABS : 0) | (o.clock_realtime ? IORING_TIMEOUT_REALTIME : 0);
}

void fill(io_uring_sqe* sqe, op::Request& request, bool can_wait_first) {
  using op::Kind;
  const op::Op& o = request.op;
  auto* time = reinterpret_cast<__kernel_timespec*>(request.time);
  switch (o.kind) {
    case Kind::poll: io_uring_prep_poll_add(sqe, o.fd, o.events); break;
    case Kind::timeout:
      io_uring_prep_timeout(sqe, time, 0, clock_flags(o));
      break;
    case Kind::read: io_uring_prep_read(sqe, o.fd, o.buffer, o.bytes, o.offset); break;
    case Kind::write: io_uring_prep_write(sqe, o.fd, o.buffer, o.bytes, o.offset); break;
    case Kind::readv: io_uring_prep_readv2(sqe, o.fd, static_cast<iovec*>(o.buffer), o.bytes, o.offset, o.flags); break;
    case Kind::writev:
      io_uring_prep_writev2(sqe, o.fd, static_cast<iovec*>(o.buffer), o.bytes, o.offset, o.flags);
      break;
    case Kind::fsync: io_uring_prep_fsync(sqe, o.fd, o.data_only ? IORING_FSYNC_DATASYNC : 0); break;
    case Kind::memory: fill_futex(sqe, o.buffer, static_cast<std::uint32_t>(o.bytes), futex_u32); break;
    case Kind::recv:
      io_uring_prep_recv(sqe, o.fd, o.buffer, o.bytes, o.flags);
      if (o.waits_first && can_wait_first) sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
      break;
    case Kind::send: io_uring_prep_send(sqe, o.fd, o.buffer, o.bytes, o.flags); break;
    case Kind::recvmsg: io_uring_prep_recvmsg(sqe, o.fd, static_cast<msghdr*>(o.buffer), o.flags); break;
    case Kind::sendmsg: io_uring_prep_sendmsg(sqe, o.fd, static_cast<msghdr*>(o.buffer), o.flags); break;
    case Kind::accept:
      io_uring_prep_accept(sqe, o.fd, static_cast<sockaddr*>(o.buffer), static_cast<socklen_t*>(o.address_bytes),
                           o.flags);
      break;
    case Kind::connect: io_uring_prep_connect(sqe, o.fd, static_cast<sockaddr*>(o.buffer), o.bytes); break;
  }
  io_uring_sqe_set_data(sqe, &request);
}

}  // namespace

int Ring::open(unsigned entries, const sys::Capabilities& can) {
  if (!can.io_uring) return can.ring_error ? can.ring_error : -ENOSYS;
  io_uring_params parameters{};
  parameters.flags = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  parameters.cq_entries = entries * 16;
  if (can.single_issuer) parameters.flags |= setup_single_issuer;
  if (can.defer_taskrun) parameters.flags |= setup_defer_taskrun;
  int error = io_uring_queue_init_params(entries, &ring_, &parameters);
  if (error) return error;
  open_ = true;
  can_wait_first_ = can.single_issuer;  // of Linux 6.0; the flag of 5.19 can't be asked for
  io_uring_ring_dontfork(&ring_);
  // Where a file system cannot do without blocking (fsync, and reads over some networks), the kernel's workers block instead:
  // by itself it would have four a core. How many operations there are is the permits' business.
  unsigned workers[2] = {blocking_workers, 0};
  io_uring_register_iowq_max_workers(&ring_, workers);
  registered_ = can.registered_ring && io_uring_register_ring_fd(&ring_) == 1;
  ring_.ring_fd = sys::moved_up(ring_.ring_fd);
  if (!registered_) ring_.enter_ring_fd = ring_.ring_fd;
  sys::set_own(sys::Own::ring, ring_.ring_fd);
  return 0;
}

void Ring::close() {
  if (open_) io_uring_queue_exit(&ring_);
  open_ = false;
}

void Ring::forget() {
  open_ = false;
  unlimited_ = nullptr;
  doubts_.forget();
  stored_ = 0;
  sys::set_own(sys::Own::ring, -1);
}

io_uring_sqe* Ring::slot() {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  if (sqe) return sqe;
  if (submit() < 0) return nullptr;
  return io_uring_get_sqe(&ring_);
}

int Ring::prepare(op::Request& request) {
  bool limited = request.op.kind != op::Kind::timeout && request.op.timeout_ns >= 0;
  // A linked pair must go in one submission. (One that was cut short leaves entries behind.)
  if (limited && io_uring_sq_space_left(&ring_) < 2 && (submit() < 0 || io_uring_sq_space_left(&ring_) < 2)) return -EBUSY;
  io_uring_sqe* sqe = slot();
  if (!sqe) return -EBUSY;
  if (request.op.timeout_ns >= 0) set_time(request);
  fill(sqe, request, can_wait_first_);
  request.owed = limited ? 2 : 1;
  request.unlimited = false;
  if (request.binds_permit) ++stored_;
  if (limited) {
    sqe->flags |= IOSQE_IO_LINK;
    io_uring_sqe* limit = slot();
    io_uring_prep_link_timeout(limit, reinterpret_cast<__kernel_timespec*>(request.time), clock_flags(request.op));
    io_uring_sqe_set_data64(limit, reinterpret_cast<std::uint64_t>(&request) | tag_limit);
  }
  if (request.may_wait) doubts_.add(request);
  meter::gauges.ring_ops.add(1);
  request.traced = meter::begins(meter::Track::ring, name_of(request.op.kind), request.op.fd);
  return 0;
}

int Ring::prepare_cancel(const op::Request* request) {
  io_uring_sqe* sqe = slot();
  if (!sqe) return -EBUSY;
  io_uring_prep_cancel(sqe, const_cast<op::Request*>(request), 0);
  io_uring_sqe_set_data64(sqe, tag_ignore);
  return 0;
}

int Ring::prepare_futex(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  io_uring_sqe* sqe = slot();
  if (!sqe) return -EBUSY;
  fill_futex(sqe, &word, expected, futex_u32 | futex_private);
  io_uring_sqe_set_data64(sqe, tag_watch);
  return 0;
}

int Ring::prepare_watch(int fd) {
  io_uring_sqe* sqe = slot();
  if (!sqe) return -EBUSY;
  io_uring_prep_poll_add(sqe, fd, POLLIN);
  io_uring_sqe_set_data64(sqe, tag_watch);
  return 0;
}

// The program may have put a descriptor of its own where ours was; then ours has moved.
void Ring::find() {
  ring_.ring_fd = sys::own(sys::Own::ring);
  if (!registered_) ring_.enter_ring_fd = ring_.ring_fd;
}

int Ring::submit() {
  find();
  return io_uring_submit(&ring_);
}

int Ring::submit_and_wait(std::int64_t timeout_ns) {
  io_uring_cqe* cqe;
  find();
  if (timeout_ns < 0) return io_uring_submit_and_wait(&ring_, 1);
  __kernel_timespec t{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  return io_uring_submit_and_wait_timeout(&ring_, &cqe, 1, &t, nullptr);
}

// Over when all its completions came: until then the kernel, or our list, may know it.
bool Ring::completed(const io_uring_cqe& cqe) {
  auto& request = *reinterpret_cast<op::Request*>(cqe.user_data & ~tag_bits);
  bool of_limit = cqe.user_data & tag_limit;
  if (!of_limit) request.result = cqe.res;
  bool last = --request.owed == 0;
  // The kernel took the operation, ran out of memory, and met its limit in the next submission: there it limits nothing.
  // So the wait ends now, too early rather than never.
  if (of_limit && cqe.res == -EINVAL && !last) {
    request.unlimited = true;
    request.next = unlimited_;
    unlimited_ = &request;
  }
  return last;
}

// Again until it is over: the kernel had a worker begin it, and between that and its wait no cancel finds it.
bool Ring::give_up_unlimited() {
  for (base::Link* at = unlimited_; at; at = at->next)
    if (prepare_cancel(static_cast<op::Request*>(at))) break;
  return unlimited_;
}

// Where there is no room for a cancel now, the next call has.
void Ring::ask_doubts() {
  doubts_.ask([this](op::Request& request) { prepare_cancel(&request); });
}

void Ring::ask_all_doubts() {
  ask_doubts();  // those that are young are old then
  ask_doubts();
}

void Ring::settle(op::Request& request) {
  if (request.unlimited) {
    base::Link** at = &unlimited_;
    while (*at != &request) at = &(*at)->next;
    *at = request.next;
  }
  meter::ends(request.traced, meter::Track::ring, name_of(request.op.kind), request.result);
  if (request.binds_permit) --stored_;
  doubts_.remove(request);
  request.done(request);
}

unsigned Ring::next_of_due(io_uring_cqe** cqes, unsigned most, unsigned* seen) {
  unsigned n = io_uring_peek_batch_cqe(&ring_, cqes, most);
  if (!n && *seen >= looked_at_once && io_uring_get_events(&ring_) >= 0) {
    *seen = 0;
    n = io_uring_peek_batch_cqe(&ring_, cqes, most);
  }
  *seen += n;
  return n;
}

Ring::Reaped Ring::reap() {
  constexpr unsigned batch = 64;
  io_uring_cqe* cqes[batch];
  Reaped reaped;
  unsigned seen = 0;
  while (unsigned n = next_of_due(cqes, batch, &seen)) {
    op::Request* over[batch];
    unsigned count = 0;
    for (unsigned i = 0; i < n; ++i) {
      std::uint64_t data = cqes[i]->user_data;
      if (data == tag_watch) reaped.watch_fired = true;
      else if (data != tag_ignore && completed(*cqes[i])) over[count++] = reinterpret_cast<op::Request*>(data & ~tag_bits);
    }
    io_uring_cq_advance(&ring_, n);
    // After the advance: done() may let the owner's frame go, and may prepare more.
    sys::WakesTogether together;
    std::int64_t now = count ? base::now_ns() : 0;
    for (unsigned i = 0; i < count; ++i) {
      over[i]->ended_ns = now;
      settle(*over[i]);
    }
    reaped.told = std::max(reaped.told, together.idle_told());  // who was told in two batches is one thread
  }
  return reaped;
}

}  // namespace weir::ring
