// SPDX-License-Identifier: Apache-2.0
// include/weir/operation.h: a request of the ring with somebody, or nobody yet, who wants its result.
#include "weir/operation.h"

#include "api/operation.h"

#include <fcntl.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "api/by_thread.h"
#include "api/instance.h"
#include "api/task.h"
#include "base/clock.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "meter/sites.h"
#include "path/waiting.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "weir/task.h"
#include "weir/weir.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

// state:  nobody --want(waiter or fn)--> wanted --end--> over: the one who wants it is told
//         nobody --end--> over           acq_rel on each edge: who comes second sees what the first wrote
struct weir_operation : op::Request {
  enum State : std::uint32_t { nobody, wanted, over };
  std::atomic<std::uint32_t> state{nobody};
  weir_waiter* waiter = nullptr;       // of weir_wait
  weir_completion_fn fn = nullptr;     // of weir_on_complete
  void* argument = nullptr;
  bool by_thread = false;              // no ring: a thread of its own does it
  bool by_call = false;                // and by a call that is accounted for as such, and can't be cancelled
  std::atomic<std::uint32_t> cancelled{0};    // a thread of its own looks at it in steps, or is woken
  void (*ring)(void*) = nullptr;       // of weir_start_alarm
  void* ring_argument = nullptr;
  std::int64_t again_ns = 0;           // it rings again after so long, until it is cancelled; 0: once
  bool rang = false;
  std::uint32_t of_process;            // how often it had been forked when this began

  // For the account of it, when it is over.
  meter::Caller caller;
  std::int64_t began_ns = 0, ended_ns = 0;
  std::int64_t lost_ns = 0;            // a thread blocked for it, and its core went to nobody
};

namespace {

constinit std::atomic<int> under_way{0};
constinit std::atomic<std::uint32_t> forks{0};

// What is under way at a fork stays the parent's: for the child it is cancelled.
bool is_over(weir_operation& operation) {
  if (operation.state.load(std::memory_order_acquire) == weir_operation::over) return true;
  if (operation.of_process == forks.load(std::memory_order_relaxed)) return false;
  operation.result = -ECANCELED;
  operation.ended_ns = operation.began_ns;
  operation.state.store(weir_operation::over, std::memory_order_relaxed);
  return true;
}

void release(weir_operation* operation) {
  operation->~weir_operation();
  std::free(operation);
}

// By whoever ends it, before it is released.
void account(const weir_operation& operation) {
  if (operation.by_call || operation.ring) return;  // an alarm keeps nobody waiting
  std::int64_t took = operation.ended_ns - operation.began_ns, hidden = took - operation.lost_ns;
  meter::Counters& counters = meter::mine();
  counters.beside_ns.add(took);
  counters.beside_hidden_ns.add(hidden);
  using op::Kind;
  Kind kind = operation.op.kind;
  bool in = kind == Kind::read || kind == Kind::recv, out = kind == Kind::write || kind == Kind::send;
  if (operation.result > 0 && in) counters.bytes_read.add(operation.result);
  if (operation.result > 0 && out) counters.bytes_written.add(operation.result);
  bool lost = operation.lost_ns > 0;
  meter::account({operation.caller, lost ? meter::Served::parked : meter::Served::suspended,
                  lost ? meter::Reason::outside : meter::Reason::none, in || out ? operation.result : 0, took, hidden});
}

void tell(weir_operation* operation) {
  if (operation->waiter) {
    operation->waiter->wake(operation->waiter);  // who waits releases it
    return;
  }
  weir_completion_fn fn = operation->fn;
  void* argument = operation->argument;
  ssize_t result = operation->result;
  account(*operation);
  release(operation);
  fn(argument, result);
}

bool rings_again(weir_operation& alarm) {
  bool again = alarm.again_ns && !alarm.by_thread && !alarm.cancelled.load(std::memory_order_acquire);
  if (!again) return false;
  alarm.op.timeout_ns = alarm.again_ns;
  meter::gauges.in_flight.rise();
  if (path::submit(alarm)) return true;
  meter::gauges.in_flight.fall(0);
  return false;
}

void ended(op::Request& request) {
  auto& operation = static_cast<weir_operation&>(request);
  bool waits = !operation.by_call && !operation.ring;  // as account() has it
  std::int64_t flown_ns = waits ? base::now_ns() - operation.flew_ns : 0;
  if (waits && operation.binds_permit) meter::stored_flight_ends(operation.at_once, flown_ns);
  meter::gauges.in_flight.fall(flown_ns);
  path::tell_of_connection(operation);
  if (operation.binds_permit && !operation.by_thread) {
    meter::mine().storage_ops.add(1);
    if (operation.result > 0) meter::mine().storage_bytes.add(operation.result);
    path::release_permit();
  }
  if (operation.op.kind == op::Kind::timeout && operation.result == -ETIME) operation.result = 0;
  // One that a thread of the kernel's was waiting for ends as if by a signal.
  if (operation.result == -EINTR && operation.cancelled.load(std::memory_order_acquire)) operation.result = -ECANCELED;
  if (operation.ring && operation.result == 0) {
    operation.rang = true;
    operation.ring(operation.ring_argument);
    if (rings_again(operation)) return;
  }
  if (operation.rang) operation.result = 0;
  operation.ended_ns = base::now_ns();
  if (operation.state.exchange(weir_operation::over, std::memory_order_acq_rel) == weir_operation::wanted)
    tell(&operation);
  under_way.fetch_sub(1, std::memory_order_release);
}

// Files, which take as long as they take.
Result do_call(const op::Op& o) {
  using op::Kind;
  bool next = o.offset < 0;
  switch (o.kind) {
    case Kind::read: return next ? weir_read(o.fd, o.buffer, o.bytes) : weir_pread(o.fd, o.buffer, o.bytes, o.offset);
    case Kind::write: return next ? weir_write(o.fd, o.buffer, o.bytes) : weir_pwrite(o.fd, o.buffer, o.bytes, o.offset);
    default: return weir_fsync(o.fd);
  }
}

// Without a ring, and for what the ring must not do: on a thread of its own.
void do_by_thread(void* operation_) {
  auto& operation = *static_cast<weir_operation*>(operation_);
  if (operation.by_call) operation.result = do_call(operation.op);
  else operation.result = api::do_in_steps(operation.op, operation.cancelled);
  ended(operation);
}

// A unix socket that shall not wait: the ring does not either, where the queue of the other end is full.
bool queue_may_be_full(int fd) {
  return sys::socket_value(fd, SO_DOMAIN) == AF_UNIX && (sys::status_flags(fd) & O_NONBLOCK);
}

struct Alarm {
  void (*ring)(void*) = nullptr;
  void* argument = nullptr;
  std::int64_t again_ns = 0;
};

// It is attributed to the function that calls this, and to where that one returns to.
int start(weir_operation** out, const op::Op& what, Alarm alarm = {},
          meter::Caller caller = {__builtin_FUNCTION(), __builtin_return_address(0)}) {
  if (!out) return -EINVAL;
  void* memory = std::malloc(sizeof(weir_operation));
  if (!memory) return -ENOMEM;
  auto* operation = new (memory) weir_operation;
  operation->op = what;
  operation->done = ended;
  operation->ring = alarm.ring;
  operation->ring_argument = alarm.argument;
  operation->again_ns = alarm.again_ns;
  operation->caller = caller;
  operation->began_ns = operation->flew_ns = base::now_ns();
  operation->of_process = forks.load(std::memory_order_relaxed);
  bool storage = op::may_be_of_storage(what.kind) && sys::is_storage(what.fd);
  operation->binds_permit = storage;
  meter::mine().calls.add(1);
  operation->at_once = meter::gauges.in_flight.rise();
  under_way.fetch_add(1, std::memory_order_relaxed);
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  *out = operation;
  bool shared_offset = storage && what.offset < 0;
  api::prepare(environ);
  bool can_fill = what.kind == op::Kind::connect && queue_may_be_full(what.fd);
  if (!shared_offset && !can_fill && api::start() && path::submit(*operation)) return 0;
  operation->by_thread = true;
  bool positional = (what.kind == op::Kind::read || what.kind == op::Kind::write) && what.offset >= 0;
  operation->by_call = storage || positional || what.kind == op::Kind::fsync;
  if (int error = sys::start_program_thread(do_by_thread, operation, "weir-operation")) {
    meter::gauges.in_flight.fall(0);
    under_way.fetch_sub(1, std::memory_order_relaxed);
    release(operation);
    *out = nullptr;
    return error;
  }
  return 0;
}

}  // namespace

int api::operations_under_way() { return under_way.load(std::memory_order_acquire); }
void api::operations_after_fork() {
  under_way.store(0, std::memory_order_relaxed);
  forks.fetch_add(1, std::memory_order_relaxed);
}

WEIR_EXPORT int weir_start_read(weir_operation** op, int fd, void* to, size_t bytes, off_t offset) {
  return offset < -1 ? -EINVAL : start(op, op::read(fd, to, bytes, offset));
}
WEIR_EXPORT int weir_start_write(weir_operation** op, int fd, const void* from, size_t bytes, off_t offset) {
  return offset < -1 ? -EINVAL : start(op, op::write(fd, from, bytes, offset));
}
WEIR_EXPORT int weir_start_recv(weir_operation** op, int fd, void* to, size_t bytes, int flags) {
  return start(op, op::of_socket(op::Kind::recv, fd, to, bytes, flags));
}
WEIR_EXPORT int weir_start_send(weir_operation** op, int fd, const void* from, size_t bytes, int flags) {
  return start(op, op::of_socket(op::Kind::send, fd, from, bytes, flags | MSG_WAITALL | MSG_NOSIGNAL));
}
WEIR_EXPORT int weir_start_accept(weir_operation** op, int fd, sockaddr* peer, socklen_t* peer_bytes, int flags) {
  return start(op, op::accept(fd, peer, peer_bytes, flags));
}
WEIR_EXPORT int weir_start_connect(weir_operation** op, int fd, const sockaddr* peer, socklen_t peer_bytes) {
  return start(op, op::of_socket(op::Kind::connect, fd, peer, peer_bytes, 0));
}
WEIR_EXPORT int weir_start_poll(weir_operation** op, int fd, short events) {
  return start(op, op::poll(fd, static_cast<unsigned short>(events)));
}
WEIR_EXPORT int weir_start_fsync(weir_operation** op, int fd) { return start(op, op::fsync(fd, false)); }
WEIR_EXPORT int weir_start_sleep(weir_operation** op, std::int64_t ns) {
  return ns < 0 ? -EINVAL : start(op, op::timeout(ns));
}
WEIR_EXPORT int weir_start_alarm(weir_operation** op, std::int64_t ns, void (*ring)(void*), void* arg) {
  return ns < 0 || !ring ? -EINVAL : start(op, op::timeout(ns), {ring, arg});
}

namespace {

void wait_until_over(weir_operation* operation) {
  if (is_over(*operation)) return;
  std::int64_t began = base::now_ns();
  bool hidden = api::block_here(
      [](void* operation_, weir_waiter* waiter) {
        auto& wanted = *static_cast<weir_operation*>(operation_);
        wanted.waiter = waiter;
        std::uint32_t nobody = weir_operation::nobody;
        if (!wanted.state.compare_exchange_strong(nobody, weir_operation::wanted, std::memory_order_acq_rel))
          waiter->wake(waiter);
      },
      operation);
  if (!hidden && operation->ended_ns > began) operation->lost_ns += operation->ended_ns - began;
}

}  // namespace

WEIR_EXPORT ssize_t weir_wait(weir_operation* operation) {
  wait_until_over(operation);
  ssize_t result = operation->result;
  account(*operation);
  release(operation);
  return result;
}

WEIR_EXPORT ssize_t weir_wait_within(weir_operation* operation, std::int64_t ns) {
  weir_operation* deadline = nullptr;
  // It is released only after the deadline.
  auto end_it = [](void* late) { weir_cancel(static_cast<weir_operation*>(late)); };
  // A thread of the kernel's that is about to wait may miss that it was told not to.
  constexpr std::int64_t again_ns = 50 * base::ns_per_ms;
  bool may_end = !is_over(*operation) && !operation->by_call && ns >= 0;
  bool limited = may_end && start(&deadline, op::timeout(ns), {end_it, operation, again_ns}) == 0;
  if (!limited) return weir_wait(operation);
  wait_until_over(operation);
  weir_cancel(deadline);
  bool rang = weir_wait(deadline) == 0;
  ssize_t result = weir_wait(operation);
  return rang && result == -ECANCELED ? -ETIMEDOUT : result;
}

WEIR_EXPORT int weir_test(weir_operation* operation, ssize_t* result) {
  if (!is_over(*operation)) return 0;
  *result = operation->result;
  return 1;
}

WEIR_EXPORT void weir_cancel(weir_operation* operation) {
  if (is_over(*operation)) return;
  operation->cancelled.store(1, std::memory_order_release);
  if (!operation->by_thread) return path::cancel(*operation);
  sys::futex_wake(operation->cancelled);
}

WEIR_EXPORT void weir_on_complete(weir_operation* operation, weir_completion_fn fn, void* arg) {
  operation->fn = fn;
  operation->argument = arg;
  std::uint32_t nobody = weir_operation::nobody;
  if (is_over(*operation) || !operation->state.compare_exchange_strong(nobody, weir_operation::wanted, std::memory_order_acq_rel))
    tell(operation);
}

WEIR_EXPORT void weir_drop(weir_operation* operation) {
  weir_cancel(operation);
  weir_wait(operation);
}
