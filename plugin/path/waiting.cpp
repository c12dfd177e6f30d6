// SPDX-License-Identifier: Apache-2.0
#include "path/waiting.h"

#include <cerrno>

#include "base/thread.h"
#include "gate/connecting.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "path/ending.h"
#include "path/engine.h"
#include "path/plan.h"
#include "path/ringless.h"
#include "wait/errno_state.h"
#include "wait/exception_state.h"

namespace weir::path {

constinit ring::Driver driver;
bool (*start_engine)() = nullptr;
constinit std::atomic<void (*)()> before_first_wait{nullptr};

namespace {

// A request with the task that waits for it; lives in perform()'s frame.
struct Waiting : op::Request {
  weir_waiter* waiter = nullptr;
};

// On the driver's thread, of what was begun on a guess, while its number stands for what it did then.
bool may_wait(const op::Request& request) { return waits_without_limit(request.op.fd); }

// On the driver's thread. After wake() the frame of `request` may be gone.
void over(op::Request& request) {
  auto& waiting = static_cast<Waiting&>(request);
  std::int64_t flown_ns = (request.ended_ns ? request.ended_ns : base::now_ns()) - request.flew_ns;
  if (waiting.binds_permit) meter::stored_flight_ends(request.at_once, flown_ns);
  meter::gauges.in_flight.fall(flown_ns);
  tell_of_connection(waiting);
  if (waiting.binds_permit) {
    meter::Counters& counters = meter::mine();
    counters.storage_ops.add(1);
    if (waiting.result > 0) counters.storage_bytes.add(waiting.result);
    release_permit();
  }
  meter::gauges.ready.rise();
  waiting.waiter->wake(waiting.waiter);
}

void start(void* waiting_, weir_waiter* waiter) {
  auto& waiting = *static_cast<Waiting*>(waiting_);
  waiting.waiter = waiter;
  waiting.flew_ns = base::now_ns();
  waiting.at_once = meter::gauges.in_flight.rise();
  if (submit(waiting) || wait_without_ring(waiting)) return;
  meter::gauges.in_flight.fall(0);
  waiting.result = -ENOSYS;
  meter::gauges.ready.rise();
  waiter->wake(waiter);
}

}  // namespace

void release_permit() {
  if (op::Request* next = gate::the_gate.permits.release()) driver.submit(*next);
}

namespace {

void submit_in_turn(op::Request& request) { driver.submit(request); }

bool may_connect(op::Request& request) {
  return !gate::tries_again(request.op) || gate::connecting.admit(request, gate::the_gate.cores.limit(), submit_in_turn);
}

}  // namespace

void tell_of_connection(const op::Request& request) {
  using op::Kind;
  Kind kind = request.op.kind;
  if (kind == Kind::connect) gate::connecting.ended(request);
  else if ((kind == Kind::recv || kind == Kind::recvmsg) && !failed(request.result)) gate::connection_is_old_at(request.op.fd);
}

bool submit(op::Request& request) {
  if (!driver.running()) return false;
  if (!may_connect(request)) {
    driver.poke();  // it watches how long the queue waits
    return true;
  }
  if (request.binds_permit) gate::wants_permit(request.op.fd);
  if (request.binds_permit && !gate::the_gate.permits.admit(request)) {
    driver.poke();  // it watches how long the queue waits
    return true;
  }
  return driver.submit(request);
}

// One that still waits for its permit is no business of the ring's: it ends on the driver's thread, as the others do.
void cancel(op::Request& request) {
  bool is_queued = (request.binds_permit && gate::the_gate.permits.withdraw(request)) ||
                   (request.op.kind == op::Kind::connect && gate::connecting.withdraw(request));
  if (!is_queued) return driver.cancel(request);
  request.binds_permit = false;
  request.given_up = true;
  driver.submit(request);
}

bool set_aside(const weir_runtime& runtime, void (*start)(void*, weir_waiter*), void* argument, int* refusal) {
  wait::KeptErrno kept;
  wait::ExceptionState exceptions;  // another task may throw and catch on this thread meanwhile
  exceptions.take();
  const void* tbb_wait = base::self().tbb_wait;
  base::self().tbb_wait = nullptr;  // what begins here meanwhile waits within nothing
  meter::gauges.aside.fetch_add(1, std::memory_order_relaxed);
  *refusal = runtime.suspend(start, argument);
  meter::gauges.aside.fetch_sub(1, std::memory_order_relaxed);
  base::Thread& thread = base::self();
  thread.tbb_wait = tbb_wait;
  thread.wait_ended_ns = 0;
  exceptions.put_back();
  if (*refusal) return false;
  bool last = meter::gauges.ready.fall() <= 0;
  // What came meanwhile is not to wait for all that was ready before it, nor for what the threads begin when that is through.
  constexpr std::uint64_t turn = 128;
  if (meter::gauges.resumed.fetch_add(1, std::memory_order_relaxed) % turn == 0 || last) driver.hurry();
  return true;
}

bool perform(const op::Op& operation, bool binds_permit, const weir_runtime& runtime, Result* result, int* refusal,
             bool on_a_guess) {
  *refusal = 0;
  if (!has_ring() && !waits_without_ring(operation)) return false;
  Waiting waiting;
  waiting.op = operation;
  waiting.binds_permit = binds_permit;
  waiting.done = over;
  bool at_number = operation.fd >= 0 && !binds_permit;
  if (on_a_guess) waiting.may_wait = may_wait;
  if (at_number) waits_at(operation.fd, on_a_guess);
  bool was_aside = set_aside(runtime, start, &waiting, refusal);
  if (at_number) waited_at(operation.fd, on_a_guess);
  if (!was_aside) return false;
  base::self().wait_ended_ns = waiting.ended_ns;
  *result = waiting.result;
  return true;
}

std::int64_t count_suspended(std::int64_t began) {
  std::int64_t now = base::now_ns(), ended = base::self().wait_ended_ns;
  if (ended <= began) ended = now;
  std::int64_t took = ended - began;
  meter::Counters& counters = meter::mine();
  counters.suspended.add(1);
  counters.blocked_ns.add(took);
  counters.hidden_ns.add(took);
  counters.suspended_ns.add(took);
  counters.core_wait_ns.add(now - ended);
  return took;
}

void let_queued_through() {
  while (op::Request* next = gate::the_gate.permits.raised()) driver.submit(*next);
}

}  // namespace weir::path
