// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/disturbed.h"
#include "gate/connecting.h"
#include "gate/few.h"
#include "gate/gate.h"
#include "meter/overlap.h"
#include "meter/trace.h"
#include "path/beside.h"
#include "path/call.h"
#include "path/engine.h"
#include "path/errands.h"
#include "path/guess.h"
#include "path/habit.h"
#include "path/handlers.h"
#include "path/home.h"
#include "path/low_water.h"
#include "path/plan.h"
#include "path/ringless.h"
#include "path/slept.h"
#include "path/waiting.h"
#include "path/warming.h"
#include "path/yielding.h"
#include "sys/file.h"
#include "sys/idle.h"
#include "sys/process.h"
#include "wait/errno_loan.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/runtimes.h"
#include "wait/unseen_locks.h"

namespace weir::path {

constinit std::atomic<std::uint32_t> forced{0};
constinit std::atomic<bool> always_aside{false};
constinit std::atomic<void (*)()> judge_anew{nullptr};

namespace {

using meter::Reason;
using meter::Track;

// For a trace: libc's own name.
const char* name_of(const Call& call) { return call.caller.call ? call.caller.call : "call"; }

class Filled : wait::ToBeFilled {
 public:
  explicit Filled(const Call& call) : ToBeFilled(call.direction == Direction::in ? memory_of(call) : nullptr, call.bytes) {}

 private:
  static const void* memory_of(const Call& call) {
    if (call.parts) return call.part_count == 1 ? call.parts->iov_base : nullptr;
    return call.operation && call.operation->kind == op::Kind::recv ? call.operation->buffer : nullptr;
  }
};

wait::Choice choose_now(wait::Ends ends) {
  wait::Choice choice = wait::choose(ends);
  if (choice.lane != wait::Lane::suspend) return choice;
  auto* judge = judge_anew.load(std::memory_order_relaxed);
  if (!judge) return choice;
  judge();  // by another thread, it may be, since the choice above
  return wait::choose(ends);
}

void count_reason(Reason reason) { meter::mine().reasons[static_cast<int>(reason)].add(1); }

void count_moved(const Call& call, Result result) {
  if (result <= 0) return;
  meter::Counters& counters = meter::mine();
  if (call.direction == Direction::in) counters.bytes_read.add(result);
  if (call.direction == Direction::out) counters.bytes_written.add(result);
}

struct Took {
  std::int64_t waited_ns, hidden_ns;
};

void account(const Call& call, meter::Served served, Reason reason, Took took, Result result) {
  meter::account({call.caller, served, reason, call.direction == Direction::none ? 0 : result, took.waited_ns,
                  took.hidden_ns});
}

void count_parked(const Call& call, Reason reason, Took took, Result result) {
  meter::Counters& counters = meter::mine();
  counters.parked.add(1);
  counters.blocked_ns.add(took.waited_ns);
  counters.parked_ns.add(took.waited_ns);
  counters.hidden_ns.add(took.hidden_ns);
  account(call, meter::Served::parked, reason, took, result);
}

// What a task's connection brought tells that it was accepted.
void received(const Call& call, Result result) {
  if (call.direction == Direction::in && result >= 0) gate::connection_is_old_at(call.fd);
}

// Once more where a signal of weir's own ended it. (What has a limit of its own sees to that itself; a socket's begins anew.)
Result undisturbed(Call& call) {
  while (true) {
    const base::Disturbed disturbed;
    Result result = call.real(call);
    if (result != -EINTR || !disturbed.by_us()) return result;
    wait::put_back_errno(disturbed.errno_before());
  }
}

Result real(Call& call) {
  return call.kept_errno->across([&call] { return undisturbed(call); });
}

Result plain(Call& call, Reason reason) {
  meter::mine().plain.add(1);
  count_reason(reason);
  bool recorded = meter::recording();
  Slept slept(recorded && call.works, recorded ? base::now_ns() : 0);
  meter::Traced traced = meter::begins(Track::plain, name_of(call), call.fd);
  Result result = real(call);
  meter::ends(traced, Track::plain, name_of(call), result);
  if (recorded) account(call, meter::Served::plain, reason, {slept.ns(base::now_ns()), 0}, result);
  return result;
}

// With the thread blocked, nothing is lost but where it had no core to give, whatever led to this lane.
Reason without_stand_in(Reason reason) {
  bool meant_to_park = reason == Reason::none || reason == Reason::not_a_task || reason == Reason::thread_bound;
  return meant_to_park ? Reason::no_stand_in : reason;
}

// Nothing else ends the wait.
bool waits_for_others(const Plan& plan) { return plan.way == Way::poll || plan.way == Way::receive; }

// A wait that the device, the kernel or the clock ends, whatever others do meanwhile. (What only a thread can wait for has a habit
// where it is a file's affair, a name's or a folder's; a condition, a child, a lock of a file have none.)
bool ends_by_itself(const Call& call, const Plan& plan) {
  if (call.family != Family::direct) return !waits_for_others(plan);
  if (!call.operation) return call.habit != nullptr;
  op::Kind kind = call.operation->kind;
  return kind != op::Kind::accept && kind != op::Kind::connect && kind != op::Kind::memory;
}

// Some time for the call, and more for what takes long to copy. What is shorter did not wait for a device.
bool was_at_hand(std::int64_t took_ns, std::uint64_t bytes) { return took_ns < 10'000 + static_cast<std::int64_t>(bytes / 4); }

// The kernel works for it, as for others of its kind of late: the thread keeps its core.
Result worked(Call& call, Reason reason) {
  std::int64_t began = base::now_ns();
  gate::the_gate.memory.look_if_due(began);
  Slept slept(true, began);
  meter::Traced traced = meter::begins(Track::plain, name_of(call), call.fd);
  Result result = real(call);
  meter::ends(traced, Track::plain, name_of(call), result);
  std::int64_t waited_ns = slept.ns(base::now_ns());
  call.habit->took(waited_ns);
  base::Thread& thread = base::self();
  if (was_at_hand(waited_ns, 0)) {
    meter::mine().fast_hits.add(1);
    gate::stand_back_where_crowded();
    return result;
  }
  if (auto* tell = before_first_wait.load(std::memory_order_relaxed)) tell();
  thread.hits_in_row = 0;
  count_reason(reason);
  count_parked(call, without_stand_in(reason), {waited_ns, 0}, result);
  return result;
}

void one_more_is_blocked() {
  std::int64_t& most = base::self().seat.most_blocked;
  most = std::max(most, meter::gauges.blocked.fetch_add(1, std::memory_order_relaxed) + 1);
}

// A thread has given its core and blocks: others may come for it, so many in all.
void call_others(std::int64_t most) {
  if (auto* tell = gate::the_gate.on_blocked.load(std::memory_order_relaxed)) tell(meter::gauges.in_flight.parked(), most);
}

// The thread blocks as it would without weir; its core, if it had one, goes to a stand-in meanwhile. Not `looked`: that it
// would block was a guess.
Result parked(Call& call, const Plan& plan, Reason reason, bool looked = true) {
  if (call.works && call.habit->is_short()) return worked(call, reason);
  if (auto* tell = before_first_wait.load(std::memory_order_relaxed)) tell();
  gate::Gate& gate = gate::the_gate;
  bool had_core = base::self().holds_core;
  std::int64_t began = base::now_ns();
  gate.memory.look_if_due(began);
  if (ends_by_itself(call, plan) && gate::keeps_core()) {
    had_core = false;
    reason = gate.why_few();
  } else {
    gate::give_core_to_wait(began);
  }
  meter::Traced traced = meter::begins(Track::parked, name_of(call), call.fd);
  one_more_is_blocked();
  if (plan.storage) gate::wants_permit(call.fd);
  bool permit = plan.storage && gate.permits.acquire(gate.wait_ns.load(std::memory_order_relaxed));
  std::int64_t at_once = meter::gauges.in_flight.rise(true);
  if (had_core) call_others(plan.storage ? gate.permits.limit() : 1 << 30);
  std::int64_t flew = plan.storage ? base::now_ns() : began;  // with its permit
  Slept slept(call.works, began);
  Result result = real(call);
  if (call.direction == Direction::in) gate::connection_is_old(), received(call, result);
  std::int64_t ended = base::now_ns(), waited_ns = slept.ns(ended);
  std::int64_t flown_ns = std::min(waited_ns, ended - flew);
  if (plan.storage && !was_at_hand(flown_ns, call.bytes)) meter::stored_flight_ends(at_once, flown_ns);
  meter::gauges.in_flight.fall(flown_ns, true);
  meter::gauges.blocked.fetch_sub(1, std::memory_order_relaxed);
  if (call.habit && (!had_core || call.works)) call.habit->took(waited_ns);
  if (had_core) gate.waits.add(waited_ns);
  if (permit) release_permit();
  meter::ends(traced, Track::parked, name_of(call), result);
  std::int64_t went_on = had_core ? gate::take_core_back(ended) : ended;

  meter::Counters& counters = meter::mine();
  if ((!looked || call.works) && was_at_hand(waited_ns, call.bytes)) {
    // At the end of a file nothing else is to be had: that says nothing of the next one at this number.
    bool at_end = result == 0 && call.parts;
    if (!looked && !at_end) found_bytes(call.fd, Bytes::unknown);
    counters.fast_hits.add(1);
    return result;
  }
  counters.core_wait_ns.add(went_on - ended);
  if (plan.storage) {
    counters.storage_ops.add(1);
    if (result > 0) counters.storage_bytes.add(result);
  }
  count_reason(reason);
  count_parked(call, had_core ? reason : without_stand_in(reason), {waited_ns, had_core ? waited_ns : 0}, result);
  return result;
}

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

Result when_its_time_is_over(const Call& call) { return call.moved ? static_cast<Result>(call.moved) : call.when_timed_out; }

// Once a part is moved, a handler ends the wait for the rest, were it one with SA_RESTART.
bool ended_by_handlers(const Call& call) { return call.moved && wait::policy.handled.load(std::memory_order_relaxed); }

// What poll calls ready time and again, though nothing is to be had (a datagram's receiver may be full, and poll asks the sender):
// looked at now and then.
class Naps {
 public:
  void in_vain() { ++in_vain_; }
  bool wanted() const { return in_vain_ > by_others; }
  std::int64_t ns() const { return base::ns_per_ms << std::min(in_vain_ - by_others, 4); }

 private:
  static constexpr int by_others = 4;  // so often somebody else was faster
  int in_vain_ = 0;
};

bool seems_ready(const Call& call, const Plan& plan) {
  pollfd one{call.fd, static_cast<short>(plan.events), 0};
  return sys::poll(&one, 1, 0) > 0;
}

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

// The task is set aside and the thread takes others.
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

// Somebody is about to read from a descriptor whose last read had to wait: it will likely wait again.
bool likely_to_wait(const Call& call) {
  if (call.direction != Direction::in || (call.family != Family::next && call.family != Family::file_at)) return false;
  return last_bytes(call.fd) == Bytes::missing;
}

// Then a look first is three system calls that bring nothing, where the thread parks in any case, and waits for no core after. Or
// has none to give, and reads at a position; but then one in eight looks all the same: only that tells that the bytes are there now,
// where the call may have waited for a permit.
bool brings_nothing_to_look(const Call& call) {
  base::Thread& thread = base::self_unsuspended();
  if (thread.holds_core) return gate::the_gate.pieces.are_short();
  return call.family == Family::file_at && (++thread.reads_unseen & 7) != 0;
}

bool waited_unseen(Call& call, Result* result) {
  if (!brings_nothing_to_look(call)) return false;
  wait::Choice choice = wait::choose(wait::Ends::never);
  if (choice.lane != wait::Lane::park) return false;
  wait::KeptErrno kept;
  call.kept_errno = &kept;
  // From what waits for somebody no position is read: that fails. So what the number stands for need not be asked.
  if (call.family != Family::file_at && !is_of_device(call)) {
    found_bytes(call.fd, Bytes::unknown);  // another descriptor than the one whose read had to wait
    return false;
  }
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  Plan plan;
  plan.storage = true;
  *result = parked(call, plan, choice.reason, false);
  return true;
}

Result attempted(Call& call);

// A task is about to read from a socket where the last tries found nothing, and waited: the ring tries it too, so none is made
// before, and what may have changed since (does it still block? without a limit?) is asked where the wait is a long one. Where that
// guess was wrong, the call goes the way of others then.
bool received_untried(Call& call, Result* result) {
  wait::KeptErrno kept;
  call.kept_errno = &kept;
  Filled filled(call);
  wait::Choice choice = choose_now(call.ends);
  if (choice.lane != wait::Lane::suspend || gate::the_gate.lets_few_go_on()) {
    tried(call.fd, false);
    return false;
  }
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  Plan plan;
  plan.way = Way::receive;
  plan.socket = true;
  plan.tried = false;
  Home home = home_here();
  *result = suspended(call, plan, *choice.runtime);
  if (!call.guess_was_wrong) return true;
  call.guess_was_wrong = false;
  tried(call.fd, false);
  *result = attempted(call);
  if (failed(*result)) fail_at(home, *result, *choice.runtime);
  return true;
}

// Of oneTBB's: another thread may take the core of this one when it blocks.
bool has_stand_in() {
  return (base::self().place & base::in_tbb_arena) && gate::the_gate.has_stand_ins.load(std::memory_order_relaxed);
}

// A thread of oneTBB's begins what is new in its own pool before it goes on with what is ready, and sets that aside too, each on a
// stack of its own. A stand-in has no pool yet, and looks for what is ready first. So where there are some, and enough for the
// device and the cores waits already, one more blocks its thread.
bool adds_to_backlog(const Plan& plan) {
  constexpr std::int64_t enough_a_core = 64;
  gate::Gate& gate = gate::the_gate;
  if (!plan.storage || !has_stand_in()) return false;
  return gate.permits.waiting() + meter::gauges.ready.value() > enough_a_core * gate.cores.limit();
}

// What comes from somebody else may have to wait for another task first: in place it is waited for only for a moment.
bool came_in_a_moment(Call& call, const Plan& plan, int most_ms, Reason reason, Result* result) {
  std::int64_t began = base::now_ns();
  pollfd one{call.fd, static_cast<short>(plan.way == Way::poll ? plan.events : POLLIN), 0};
  if (!call.attempt) return false;
  meter::gauges.in_flight.rise(true);
  bool came = sys::poll(&one, 1, most_ms) > 0;
  meter::gauges.in_flight.fall(base::now_ns() - began, true);
  if (!came) return false;
  *result = call.attempt(call);
  if (*result == -EAGAIN || *result == -EOPNOTSUPP) return false;
  std::int64_t took = base::now_ns() - began;
  count_reason(reason);
  count_parked(call, reason, {took, 0}, *result);
  return true;
}

// May tasks that are set aside have to go on on this very thread?
bool makes_way_here() {
  const base::Thread& thread = base::self();
  if (!others_are_aside() || wait::policy.best.load(std::memory_order_relaxed) != wait::Lane::suspend) return false;
  return thread.lock_depth ? may_make_way_with_locks(thread) : thread.omp || (thread.place & base::in_tbb_arena);
}

// So long at most, or until the descriptor seems ready. Naps where it seemed so in vain.
bool slept_a_slice(const Call& call, const Plan& plan, std::int64_t longest_ns, std::int64_t left_ns, Naps& naps) {
  const auto slice_ms = static_cast<int>((std::clamp<std::int64_t>(left_ns, 0, longest_ns) + base::ns_per_ms - 1) / base::ns_per_ms);
  pollfd one{call.fd, static_cast<short>(plan.events), 0};
  bool ready = false;
  std::int64_t began = base::now_ns();
  const bool calls_others = base::self().lock_depth > 0 && base::self().holds_core;
  one_more_is_blocked();
  meter::gauges.in_flight.rise(true);
  gate::without_core([&] {
    if (calls_others) call_others(1 << 30);
    ready = sys::poll(&one, 1, slice_ms) > 0;
    if (ready) naps.in_vain();
    if (ready && naps.wanted()) sys::sleep_ns(naps.ns());
  });
  meter::gauges.in_flight.fall(base::now_ns() - began, true);
  meter::gauges.blocked.fetch_sub(1, std::memory_order_relaxed);
  if (!ready) naps = {};
  return ready && !naps.wanted();
}

// As stdio does where it makes the call itself, or the kernel with each part that a unix socket's receiver has room for.
bool limit_begins_anew(const Plan& plan) { return plan.limited && plan.park_only; }

// The attempt says what poll does not tell: that a named pipe has nobody to write. (With a limit of its own the real call would wait
// for all of that anew.)
Result sliced(Call& call, const Plan& plan, Reason reason) {
  constexpr std::int64_t slice_ns = 2 * base::ns_per_ms, long_slice_ns = 20 * base::ns_per_ms;
  const std::int64_t began = base::now_ns(), since = waits_in_row_since(began);
  std::int64_t end = plan.timeout_ns < 0 ? std::numeric_limits<std::int64_t>::max() : began + plan.timeout_ns;
  const bool for_any = call.ends == wait::Ends::handled || plan.limited || call.moved;
  Handlers handlers;
  Naps naps;
  Result result;
  while (true) {
    const std::int64_t now = base::now_ns();
    const bool only_waits = base::self().lock_depth > 0 && now - since < patience_with_locks_ns;
    if (plan.timeout_ns < 0 && !makes_way_here()) return parked(call, plan, reason);
    const std::uint64_t moved_before = call.moved;
    result = call.attempt(call);
    if (result == -EOPNOTSUPP && plan.park_only) return parked(call, plan, reason);
    if (result == -EOPNOTSUPP) result = seems_ready(call, plan) ? real(call) : -EAGAIN;
    if (limit_begins_anew(plan) && call.moved > moved_before) end = now + plan.timeout_ns;
    if (result != -EAGAIN) break;
    const std::int64_t left = end - now;
    if (left <= 0) {
      result = when_its_time_is_over(call);
      break;
    }
    if (slept_a_slice(call, plan, only_waits ? long_slice_ns : slice_ns, left, naps)) continue;
    if (!handlers.end_wait(for_any)) stand_back_in_wait(since);
    if (handlers.end_wait(for_any)) {
      result = call.moved ? static_cast<Result>(call.moved) : -EINTR;
      break;
    }
  }
  const std::int64_t ended = base::now_ns();
  waited_in_row_until(since, ended);
  count_reason(reason);
  count_parked(call, reason, {ended - began, 0}, result);
  return result;
}

bool beside(Call& call, const Plan& plan, Reason reason, Result* result) {
  if (plan.limited) call.ends = wait::Ends::handled;
  const std::int64_t began = base::now_ns();
  if (!made_beside(call, result)) return false;
  count_reason(reason);
  count_parked(call, reason, {base::now_ns() - began, 0}, *result);
  return true;
}

bool is_accept(const Call& call) { return call.operation && call.operation->kind == op::Kind::accept; }

// (Where another acceptor was faster it waits after all.)
Result accept_who_is_there(Call& call) {
  pollfd one{call.fd, POLLIN, 0};
  return sys::poll(&one, 1, 0) > 0 ? real(call) : -EAGAIN;
}

// Can the call be waited for by looks, whatever limit it has?
bool may_be_looked_for(const Call& call, const Plan& plan) {
  if (is_accept(call)) return true;
  if (limit_begins_anew(plan) && call.direction == Direction::in) return false;
  return waits_for_others(plan) && call.attempt;
}

// Is it OpenMP's code that has to stay where it is? Others that were set aside here are tied to this thread. And who holds a lock stays
// for as long as it may, in oneTBB too, where a program may say how many threads there are. So does each for which nothing seems to move.
bool has_to_stay(Reason reason) {
  const base::Thread& thread = base::self();
  bool is_of_omp = reason == Reason::construct || reason == Reason::in_order || reason == Reason::not_a_task;
  const bool holds_back = reason == Reason::lock_held || reason == Reason::watchdog;
  return holds_back || (is_of_omp && thread.omp && !(thread.place & base::in_tbb_arena));
}

// What the call waits for may have to be done by a task that goes on on this very thread: it waits by slices, or has another thread
// wait, and makes way meanwhile. False: it may as well block.
bool waited_by_slices(Call& call, const Plan& plan, const wait::Choice& choice, Result* result) {
  bool parks = choice.lane == wait::Lane::park;
  bool may_be_ended = parks && (choice.reason == Reason::eintr_wanted || has_to_stay(choice.reason));
  bool is_alone_in_it = choice.lane == wait::Lane::suspend && plan.park_only;
  if (!may_be_ended && !is_alone_in_it) return false;
  const bool by_another = may_be_ended && call.anybodys && may_be_sent(call);
  if (!(by_another || may_be_looked_for(call, plan)) || !makes_way_here()) return false;
  Plan by_looks = plan;
  if (is_accept(call)) {
    call.attempt = accept_who_is_there;
    by_looks.events = POLLIN;
  }
  const weir_runtime* runtime = wait::runtime_of(base::self().place);
  Home home = home_here();
  if (!by_another) *result = sliced(call, by_looks, choice.reason);
  else if (!beside(call, plan, choice.reason, result)) return false;
  if (runtime && failed(*result)) fail_at(home, *result, *runtime);
  return true;
}

bool is_sleep(const Call& call, const Plan& plan) {
  return plan.way == Way::direct && call.operation && call.operation->kind == op::Kind::timeout;
}

// Who sleeps again and again may look in between for what a task is to do that goes on on this very thread.
bool parked_in_a_row(Call& call, const Plan& plan, Reason reason, Result* result) {
  if (!is_sleep(call, plan) || !has_to_stay(reason) || !makes_way_here()) return false;
  const std::int64_t began = base::now_ns();
  *result = parked(call, plan, reason);
  waited_in_row(began);
  return true;
}

// While few are to go on no task is set aside, so that no other begins, where the call ends by itself.
bool waited_in_place(Call& call, const Plan& plan, Result* result) {
  constexpr int most_ms = 50;
  if (waits_for_others(plan)) return came_in_a_moment(call, plan, most_ms, gate::the_gate.why_few(), result);
  if (!ends_by_itself(call, plan)) return false;
  *result = parked(call, plan, gate::the_gate.why_few());
  return true;
}

// No task is aside, and another thread that looked for something to do found nothing, or this one did while the last few tasks were.
// To set this one aside too, and to bring it back by way of the driver's thread, would only make it wait longer. (What comes from
// somebody else may be long in coming.)
bool core_is_wanted_by_nobody(const Call& call, const Plan& plan) {
  constexpr std::uint8_t some = 4, again = some + 16;
  bool of_disk = plan.storage || (plan.park_only && may_be_sent(call));
  bool may_choose = of_disk && wait::policy.automatic.load(std::memory_order_relaxed);
  if (!may_choose || meter::gauges.aside.load(std::memory_order_relaxed) > 0) return false;
  if (sys::idle_threads(sys::idle_state.load(std::memory_order_relaxed)) > 0) return true;
  std::uint8_t& in_vain = base::self_unsuspended().asides_in_vain;
  if (in_vain < some) return false;
  if (++in_vain < again) return true;
  in_vain = some - 1;  // one more is a trial
  return false;
}

// What it waited for already is none of the limit any more.
bool came_in_a_moment_of_its_time(Call& call, Plan& plan, int most_ms, Result* result) {
  std::int64_t began = base::now_ns(), most_ns = most_ms * base::ns_per_ms;
  auto ms = static_cast<int>(base::shorter(plan.timeout_ns, most_ns) / base::ns_per_ms);
  if (came_in_a_moment(call, plan, ms, Reason::lock_held, result)) return true;
  if (plan.timeout_ns >= 0) plan.timeout_ns = std::max<std::int64_t>(plan.timeout_ns - (base::now_ns() - began), 0);
  return false;
}

// One at a time: who makes one more does not want a lock that the first one holds.
class Trial {
 public:
  bool begins() { return is_ours_ = !under_way.exchange(true); }
  ~Trial() {
    if (is_ours_) under_way.store(false);
  }

 private:
  inline static constinit std::atomic<bool> under_way{false};
  bool is_ours_ = false;
};

// oneTBB's locks are inlined, but for those that sleep: is one held? What comes from somebody else is waited for in place for a
// moment only, held or not: another task may be to send it. What ends by itself, in place until it does; but a long sleep is no
// trial. (By what only a thread can wait for, not at all.)
bool waited_with_unseen_lock(Call& call, Plan& plan, Result* result) {
  constexpr int trial_ms = 5, most_ms = 50, trials = 16;
  const bool for_others = waits_for_others(plan), sleeps = is_sleep(call, plan);
  if (!wait::policy.automatic.load(std::memory_order_relaxed) || !(plan.storage || for_others || sleeps)) return false;
  const bool in_arena = base::self_unsuspended().place & base::in_tbb_arena;
  const bool has_limit = sleeps || (for_others && plan.timeout_ns >= 0);
  if (has_limit && !in_arena) return false;
  const bool is_long = sleeps && (call.operation->absolute || call.operation->timeout_ns > trial_ms * base::ns_per_ms);
  const int tries = has_limit ? trials : wait::UnseenLocks::tried;
  auto verdict = wait::unseen_locks.begins(call.caller.address, in_arena && !is_long, tries);
  if (verdict == wait::UnseenLocks::Verdict::nothing_known) return false;
  bool is_trial = verdict == wait::UnseenLocks::Verdict::trial;
  Trial trial;
  if (is_trial && has_limit && !trial.begins()) return false;
  if (for_others) return came_in_a_moment_of_its_time(call, plan, is_trial ? trial_ms : most_ms, result);
  *result = parked(call, plan, Reason::lock_held);
  return true;
}

Result waited_for(Call& call) {
  base::self_unsuspended().looks_from = nullptr;
  wait::KeptErrno kept;
  call.kept_errno = &kept;
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  Plan plan = plan_for(call);
  if (plan.way == Way::none) return plain(call, plan.reason);
  // What has moved a part is never restarted after a signal either.
  wait::Ends ends = plan.storage ? wait::Ends::never : plan.limited || call.moved ? wait::Ends::handled : call.ends;
  Filled filled(call);
  wait::Choice choice = choose_now(ends);
  if (choice.lane == wait::Lane::plain) return plain(call, choice.reason);
  if (Result result; waited_by_slices(call, plan, choice, &result)) return result;
  if (choice.lane == wait::Lane::park) {
    Result result;
    return parked_in_a_row(call, plan, choice.reason, &result) ? result : parked(call, plan, choice.reason);
  }
  if (Result result; gate::the_gate.lets_few_go_on() && waited_in_place(call, plan, &result)) return result;
  if (core_is_wanted_by_nobody(call, plan)) return parked(call, plan, Reason::alone);
  if (Result result; waited_with_unseen_lock(call, plan, &result)) return result;
  if (!plan.park_only && !has_ring()) {
    if (parks_without_ring(call, plan)) return parked(call, plan, Reason::no_ring);
    return suspended(call, plan, *choice.runtime);
  }
  if (plan.park_only && (call.anybodys || !has_stand_in()) && may_be_sent(call)) plan.way = Way::errand;
  else if (plan.park_only) return parked(call, plan, Reason::unsupported_call);
  if (adds_to_backlog(plan)) return parked(call, plan, Reason::backlog);
  return suspended(call, plan, *choice.runtime);
}

// What it waits for no look tells, so another thread makes it. (What stdio has it wait with the stream's lock held.)
Result waited_for_low_water(Call& call) {
  wait::KeptErrno kept;
  call.kept_errno = &kept;
  call.anybodys = call.family == Family::stream_in || call.part_count > 0;
  Plan plan = plan_for(call);
  if (plan.way == Way::none) return plain(call, plan.reason);
  wait::Choice choice = choose_now(plan.limited ? wait::Ends::handled : call.ends);
  if (choice.lane == wait::Lane::plain) return plain(call, choice.reason);
  if (auto* tell = meter::before_wait.load(std::memory_order_relaxed)) tell();
  Plan by_another = plan;
  by_another.way = Way::errand;
  Filled filled(call);
  if (Result result; waited_by_slices(call, by_another, choice, &result)) return result;
  if (choice.lane == wait::Lane::suspend && may_be_sent(call)) return suspended(call, by_another, *choice.runtime);
  return parked(call, plan, choice.lane == wait::Lane::park ? choice.reason : Reason::unsupported_call);
}

Result attempted(Call& call) {
  Result result = call.attempt ? call.attempt(call) : -EOPNOTSUPP;
  if (result == -EAGAIN || result == -EOPNOTSUPP) return waited_for(call);
  if (may_go_untried(call)) tried(call.fd, false);
  received(call, result);
  meter::mine().fast_hits.add(1);
  constexpr Result takes_its_time = 128 * 1024;
  if (result >= takes_its_time) gate::the_gate.memory.look_if_due(base::now_ns());
  if (base::self().holds_core) gate::stand_back();  // an attempt may have let others go on, and be on another thread
  return result;
}

Result serve(Call& call) {
  meter::mine().calls.add(1);
  // Only libc's own call is a cancellation point.
  if (wait::policy.cancellable.load(std::memory_order_relaxed)) {
    wait::KeptErrno kept;
    call.kept_errno = &kept;
    Result result = plain(call, Reason::cancellable);
    count_moved(call, result);
    return result;
  }
  Result result;
  if (waits_for_low_water(call)) {
    result = waited_for_low_water(call);
    count_moved(call, result);
    return result;
  }
  bool done = likely_to_wait(call) && waited_unseen(call, &result);
  if (!done && may_go_untried(call) && expects_nothing(call.fd)) done = received_untried(call, &result);
  if (!done) result = attempted(call);
  count_moved(call, result);
  return result;
}

// For tests: the task is set aside for a while by chance before every call, were it only to find the call done at once.
// So tasks interleave, and go on in an order, as they seldom would.
Result serve_aside(Call& call) {
  constexpr std::uint64_t longest_ns = 200'000;
  static constinit std::atomic<std::uint64_t> chance{0};
  wait::Choice choice = choose_now(call.ends);
  if (choice.lane != wait::Lane::suspend) return serve(call);
  std::uint64_t x = chance.fetch_add(0x9E3779B97F4A7C15u, std::memory_order_relaxed);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  Home home = home_here();
  Result ignored;
  int refusal;
  if (perform(op::timeout(static_cast<std::int64_t>((x >> 32) % longest_ns)), false, *choice.runtime, &ignored, &refusal))
    meter::mine().suspended.add(1);
  Result result = serve(call);
  if (failed(result)) fail_at(home, result, *choice.runtime);
  return result;
}

}  // namespace

Result run(Call& call, meter::Caller caller) {
  call.caller = caller;
  return always_aside.load(std::memory_order_relaxed) ? serve_aside(call) : serve(call);
}

void wait_a_moment(std::int64_t ns) {
  op::Op operation = op::timeout(ns);
  Call call{Family::direct};
  call.ends = wait::Ends::handled;
  call.operation = &operation;
  call.real = [](Call& sleep) { return sys::sleep_ns(sleep.operation->timeout_ns); };
  if (concerns_us()) waited_for(call);
  else call.real(call);
}

}  // namespace weir::path
