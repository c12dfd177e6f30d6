// SPDX-License-Identifier: Apache-2.0
#include "path/slices.h"

#include <poll.h>

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "gate/gate.h"
#include "path/accounted.h"
#include "path/beside.h"
#include "path/errands.h"
#include "path/handlers.h"
#include "path/home.h"
#include "path/looks.h"
#include "path/parked.h"
#include "path/yielding.h"
#include "sys/file.h"
#include "sys/idle.h"
#include "wait/runtimes.h"

namespace weir::path {

using meter::Reason;

namespace {

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

}  // namespace

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

bool parked_in_a_row(Call& call, const Plan& plan, Reason reason, Result* result) {
  if (!is_sleep(call, plan) || !has_to_stay(reason) || !makes_way_here()) return false;
  const std::int64_t began = base::now_ns();
  *result = parked(call, plan, reason);
  waited_in_row(began);
  return true;
}

}  // namespace weir::path
