// SPDX-License-Identifier: Apache-2.0
#include "path/accounted.h"

#include "base/clock.h"
#include "base/disturbed.h"
#include "meter/trace.h"
#include "path/slept.h"
#include "wait/errno_state.h"

namespace weir::path {

using meter::Reason;

void count_reason(Reason reason) { meter::mine().reasons[static_cast<int>(reason)].add(1); }

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

namespace {

// Once more where a signal of weir's own ended it. (What has a limit of its own sees to that itself; a socket's begins anew.)
Result undisturbed(Call& call) {
  while (true) {
    const base::Disturbed disturbed;
    Result result = call.real(call);
    if (result != -EINTR || !disturbed.by_us()) return result;
    wait::put_back_errno(disturbed.errno_before());
  }
}

}  // namespace

Result real(Call& call) {
  return call.kept_errno->across([&call] { return undisturbed(call); });
}

Result plain(Call& call, Reason reason) {
  meter::mine().plain.add(1);
  count_reason(reason);
  bool recorded = meter::recording();
  Slept slept(recorded && call.works, recorded ? base::now_ns() : 0);
  meter::Traced traced = meter::begins(meter::Track::plain, name_of(call), call.fd);
  Result result = real(call);
  meter::ends(traced, meter::Track::plain, name_of(call), result);
  if (recorded) account(call, meter::Served::plain, reason, {slept.ns(base::now_ns()), 0}, result);
  return result;
}

}  // namespace weir::path
