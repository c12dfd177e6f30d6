// SPDX-License-Identifier: Apache-2.0
#include "path/in_place.h"

#include <poll.h>

#include <algorithm>

#include "base/clock.h"
#include "gate/gate.h"
#include "path/accounted.h"
#include "path/errands.h"
#include "path/parked.h"
#include "sys/file.h"
#include "sys/idle.h"
#include "wait/lane.h"
#include "wait/unseen_locks.h"

namespace weir::path {

using meter::Reason;

namespace {

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

}  // namespace

bool waited_in_place(Call& call, const Plan& plan, Result* result) {
  constexpr int most_ms = 50;
  if (waits_for_others(plan)) return came_in_a_moment(call, plan, most_ms, gate::the_gate.why_few(), result);
  if (!ends_by_itself(call, plan)) return false;
  *result = parked(call, plan, gate::the_gate.why_few());
  return true;
}

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

}  // namespace weir::path
