// SPDX-License-Identifier: Apache-2.0
#include "path/beside.h"

#include <algorithm>

#include "base/clock.h"
#include "base/thread.h"
#include "errand/errand.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "path/yielding.h"
#include "sys/futex.h"
#include "wait/errno_state.h"
#include "wait/lane.h"

namespace weir::path {
namespace {

// With who waits for it; lives in made_beside()'s frame.
struct Sent : errand::Errand {
  Call* call = nullptr;
  std::atomic<std::uint32_t> over{0};
};

// On a thread of ours.
Result make(errand::Errand& errand) {
  Call& call = *static_cast<Sent&>(errand).call;
  return call.real(call);
}

// Likewise. With the word the frame of `errand` may be gone: of a wake no more than the address is used.
void over(errand::Errand& errand) {
  std::atomic<std::uint32_t>& word = static_cast<Sent&>(errand).over;
  word.store(1, std::memory_order_release);  // what the call left is seen by who finds it
  sys::futex_wake(word);
}

bool would_be_ended(wait::Ends ends) {
  if (ends == wait::Ends::never) return false;
  return (ends == wait::Ends::handled ? wait::policy.handled : wait::policy.interruptible).load(std::memory_order_relaxed);
}

}  // namespace

bool made_beside(Call& call, Result* result) {
  constexpr std::int64_t shortest_ns = base::ns_per_ms / 8, longest_ns = 2 * base::ns_per_ms;
  if (base::in_signal_handler() || (base::self().lock_depth > 0 && !may_make_way_with_locks(base::self()))) return false;
  if (wait::policy.cancellable.load(std::memory_order_relaxed) || would_be_ended(call.ends)) return false;
  wait::KeptErrno kept;
  Sent sent;
  sent.make = make;
  sent.done = over;
  sent.call = &call;
  if (!errand::send(sent)) return false;
  const std::int64_t since = base::now_ns();
  for (std::int64_t ns = shortest_ns; !sent.over.load(std::memory_order_acquire); ns = std::min(2 * ns, longest_ns)) {
    std::int64_t began = base::now_ns();
    meter::gauges.in_flight.rise(true);
    gate::without_core([&] { sys::futex_wait(sent.over, 0, ns); });
    meter::gauges.in_flight.fall(base::now_ns() - began, true);
    if (!sent.over.load(std::memory_order_acquire)) stand_back_in_wait(since);
  }
  if (!sent.made) return false;
  *result = sent.result;
  return true;
}

}  // namespace weir::path
