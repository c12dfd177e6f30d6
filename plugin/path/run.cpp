// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "gate/gate.h"
#include "path/accounted.h"
#include "path/call.h"
#include "path/engine.h"
#include "path/errands.h"
#include "path/guess.h"
#include "path/home.h"
#include "path/in_place.h"
#include "path/low_water.h"
#include "path/parked.h"
#include "path/plan.h"
#include "path/ringless.h"
#include "path/slices.h"
#include "path/suspended.h"
#include "path/waiting.h"
#include "sys/file.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/runtimes.h"

namespace weir::path {

constinit std::atomic<std::uint32_t> forced{0};
constinit std::atomic<bool> always_aside{false};
constinit std::atomic<void (*)()> judge_anew{nullptr};

namespace {

using meter::Reason;

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

void count_moved(const Call& call, Result result) {
  if (result <= 0) return;
  meter::Counters& counters = meter::mine();
  if (call.direction == Direction::in) counters.bytes_read.add(result);
  if (call.direction == Direction::out) counters.bytes_written.add(result);
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
