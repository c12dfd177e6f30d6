// SPDX-License-Identifier: Apache-2.0
#include "path/suspended.h"

#include <algorithm>

#include "base/clock.h"
#include "gate/gate.h"
#include "meter/trace.h"
#include "path/accounted.h"
#include "path/errands.h"
#include "path/guess.h"
#include "path/home.h"
#include "path/looks.h"
#include "path/parked.h"
#include "path/ringless.h"
#include "path/waiting.h"
#include "path/warming.h"
#include "sys/file.h"
#include "wait/errno_loan.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/runtimes.h"

namespace weir::path {

using meter::Reason;
using meter::Track;

namespace {

// A read that ends within a block ended with its file: whatever else breaks one off does so between two.
bool ended_with_file(const Call& call, Result result) {
  constexpr std::uint64_t block = 512;
  return call.direction == Direction::in && result > 0 && (static_cast<std::uint64_t>(call.offset + result) % block) != 0;
}

// Did the ring's operation do the whole call, or must libc still do it?
bool settled(const Call& call, const Plan& plan, Result result) {
  if (plan.way == Way::file)
    return (result >= 0 && static_cast<std::uint64_t>(result) == call.bytes) || ended_with_file(call, result);
  switch (result) {
    case -ECANCELED: case -EAGAIN: case -EINVAL: case -ENOSYS: case -EOPNOTSUPP: return false;
    // Of the ring's own trouble, or of its thread's: libc's call may fare better.
    case -EINTR: case -EBUSY: case -ENOMEM: return false;
    // Some kernels' ring before Linux 5.17, of parts from a socket; and of a number that is a file since the plan was made.
    case -ESPIPE: case -ENOTSOCK: return call.family != Family::next;
    default: return true;
  }
}

// The kernel tells nobody who polls that a unix socket's peer reads no more, though its own call ends then; nor that somebody else
// has read more than his part into a FILE's buffer: so a look now and then.
std::int64_t poll_ns(const Call& call, const Plan& plan) {
  constexpr std::int64_t slice_ns = 100 * base::ns_per_ms;
  bool ends_unseen = call.ends_unseen || (plan.socket && call.direction == Direction::out);
  return ends_unseen ? base::shorter(plan.timeout_ns, slice_ns) : plan.timeout_ns;
}

op::Op operation_for(const Call& call, const Plan& plan) {
  op::Op operation;
  if (plan.way == Way::poll) return op::poll(call.fd, plan.events, poll_ns(call, plan));
  if (plan.way == Way::receive) {
    if (call.operation) operation = *call.operation;
    else if (plan.socket && call.part_count == 1)
      operation = op::of_socket(op::Kind::recv, call.fd, call.parts->iov_base, call.bytes, 0);
    else operation = op::readv(call.fd, call.parts, call.part_count, -1);
    operation.waits_first = plan.tried;
    return operation;
  }
  if (plan.way == Way::direct) {
    operation = *call.operation;
    if (plan.timeout_ns >= 0) operation.timeout_ns = plan.timeout_ns;
    return operation;
  }
  return call.direction == Direction::out ? op::writev(call.fd, call.parts, call.part_count, call.offset)
                                          : op::readv(call.fd, call.parts, call.part_count, call.offset);
}

bool timed_out(const Plan& plan, Result waited, std::int64_t began) {
  return plan.timeout_ns >= 0 && (waited == -ECANCELED || waited == -ETIME) &&
         base::now_ns() - began >= plan.timeout_ns;
}

// Once a part is moved, a handler ends the wait for the rest, were it one with SA_RESTART.
bool ended_by_handlers(const Call& call) { return call.moved && wait::policy.handled.load(std::memory_order_relaxed); }

// Waits until the descriptor is ready, then attempts again: somebody else may have been faster.
bool suspended_on_stream(Call& call, const Plan& whole, const weir_runtime& runtime, Result* result, int* refusal) {
  std::int64_t began = base::now_ns();
  Plan plan = whole;
  Naps naps;
  while (true) {
    Result waited;
    op::Op operation = call.noticed    ? op::timeout(std::min(plan.timeout_ns, base::ns_per_ms))
                       : naps.wanted() ? op::timeout(base::shorter(plan.timeout_ns, naps.ns()))
                                       : operation_for(call, plan);
    if (!perform(operation, false, runtime, &waited, refusal)) return false;
    *result = call.attempt(call);
    if (*result == -EOPNOTSUPP) *result = real(call);
    if (*result != -EAGAIN) return true;
    if (timed_out(whole, waited, began)) {
      *result = when_its_time_is_over(call);
      return true;
    }
    if (failed(waited) && waited != -ECANCELED && waited != -ETIME) return false;
    if (naps.wanted() && !seems_ready(call, plan)) naps = {};
    else if (waited > 0 || naps.wanted()) naps.in_vain();
    call.noticed = call.noticed || (waited > 0 && (waited & POLLERR));
    if (call.noticed && whole.timeout_ns < 0) return false;  // libc's call would wait for the whole limit anew
    if (ended_by_handlers(call)) return false;
    if (whole.timeout_ns >= 0) plan.timeout_ns = std::max<std::int64_t>(whole.timeout_ns - (base::now_ns() - began), 0);
  }
}

// The ring holds on to the socket or pipe itself, whatever becomes of the descriptor's number meanwhile.
bool suspended_on_receipt(Call& call, Plan plan, const weir_runtime& runtime, Result* result, int* refusal) {
  if (plan.tried && plan.socket && may_go_untried(call)) tried(call.fd, true);
  if (!perform(operation_for(call, plan), false, runtime, result, refusal, !plan.tried)) return false;
  if (settled(call, plan, *result)) return true;
  if (!plan.tried) {
    call.guess_was_wrong = true;
    *result = -EAGAIN;
    return true;
  }
  plan.way = Way::poll;
  return suspended_on_stream(call, plan, runtime, result, refusal);
}

bool suspended_on(Call& call, const Plan& plan, const weir_runtime& runtime, Result* result, int* refusal) {
  if (plan.way == Way::receive) return suspended_on_receipt(call, plan, runtime, result, refusal);
  if (plan.way == Way::poll) return suspended_on_stream(call, plan, runtime, result, refusal);
  if (plan.way == Way::errand) return perform_elsewhere(call, plan.storage, runtime, result, refusal);
  if (plan.way == Way::warm) {
    Result offset = call.sought ? call.offset : sys::lseek(call.fd, 0, SEEK_CUR);
    *refusal = 0;
    if (offset < 0) return false;  // one that can't be read twice
    if (!warm(call.fd, offset, call.bytes, runtime, refusal)) return false;
    *result = real(call);
    return true;
  }
  std::int64_t began = base::now_ns();
  if (!perform(operation_for(call, plan), plan.storage, runtime, result, refusal)) return false;
  // One that is under way already the kernel's call waits for, and the ring's does not.
  if (call.operation && call.operation->kind == op::Kind::connect && *result == -EALREADY) {
    *refusal = 0;
    return false;
  }
  if (call.operation && call.operation->kind == op::Kind::timeout && *result == -ETIME) *result = 0;
  if (timed_out(plan, *result, began)) *result = call.when_timed_out;
  else if (!settled(call, plan, *result)) *result = real(call);
  return true;
}

}  // namespace

Result suspended(Call& call, const Plan& plan, const weir_runtime& runtime) {
  Home home = home_here();
  wait::offer_errno();
  std::int64_t began = base::now_ns();
  gate::the_gate.memory.look_if_due(began);
  Result result;
  int refusal;
  meter::gauges.suspended.rise();
  meter::Traced traced = meter::begins(Track::suspended, name_of(call), call.fd);
  bool done = suspended_on(call, plan, runtime, &result, &refusal);
  meter::ends(traced, Track::suspended, name_of(call), done ? result : -EAGAIN);
  meter::gauges.suspended.fall();
  if (!done) {
    bool unsupported = call.noticed || (plan.way == Way::errand && !is_without_ring());
    Reason reason = refusal ? wait::reason_of(refusal) : unsupported ? Reason::unsupported_call
                    : ended_by_handlers(call) ? Reason::eintr_wanted : Reason::no_ring;
    if (call.moved) return parked(call, plan, reason);
    go_home(home, runtime);  // it may fail
    result = parked(call, plan, reason);
    if (failed(result)) fail_at(home, result, runtime);
    return result;
  }
  std::int64_t took = count_suspended(began);
  received(call, result);
  if (failed(result) && !call.guess_was_wrong) fail_at(home, result, runtime);
  account(call, meter::Served::suspended, Reason::none, {took, took}, result);
  return result;
}

}  // namespace weir::path
