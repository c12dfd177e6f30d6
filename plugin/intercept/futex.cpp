// SPDX-License-Identifier: Apache-2.0
// Waits by a bare futex: std::atomic::wait, std::latch, std::counting_semaphore and locks of libraries make them. As those for a
// condition they give the core away, and are cut into slices where what they wait for may be a task's that is set aside.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>

#include "gate/gate.h"
#include "intercept/errno_edge.h"
#include "intercept/slices.h"
#include "intercept/waiting.h"
#include "sys/raw.h"
#include "wait/unseen_locks.h"

namespace weir::intercept {
namespace {

Result futex(std::uint32_t* word, std::uint32_t value, int operation, const timespec* longest) {
  return sys::raw(SYS_futex, reinterpret_cast<long>(word), operation, value, reinterpret_cast<long>(longest));
}

Result wait_once(std::uint32_t* word, std::uint32_t value, int operation, const timespec* longest, const void* caller) {
  return parked([=] { return static_cast<int>(futex(word, value, operation, longest)); }, {"syscall", caller});
}

// Who is woken looks at the word again: so nothing is lost by a wake between two slices, which found the word changed.
Result wait_by_slices(std::uint32_t* word, std::uint32_t value, int operation, const void* caller) {
  constexpr std::int64_t first_ns = 100 * base::ns_per_us;
  const std::int64_t since = base::now_ns();
  Handlers handlers;
  for (std::int64_t ns = first_ns;; ns = std::min(2 * ns, slice_ns)) {
    timespec slice{0, ns};
    Result result = wait_once(word, value, operation, &slice, caller);
    if (result != -ETIMEDOUT && result != -EINTR) return result;
    if (result == -EINTR && handlers.end_wait(false)) return result;  // else a signal of weir's own
    path::stand_back_in_wait(since);
    if (handlers.end_wait(false)) return -EINTR;
  }
}

bool concerns_us(const void* caller) {
  const base::Thread& thread = base::self_unsuspended();
  return (thread.place || thread.omp) && !thread.engine_depth && !lane::is_runtime_code(caller);
}

long futex_wait(std::uint32_t* word, std::uint32_t value, int operation, const void* caller) {
  if (!concerns_us(caller)) return deliver(futex(word, value, operation, nullptr));
  wait::unseen_locks.somebody_wants();
  if (path::others_are_aside()) return deliver(wait_by_slices(word, value, operation, caller));
  base::self().waits_openly = base::self().omp != nullptr;
  Result result = wait_once(word, value, operation, nullptr, caller);
  base::self().waits_openly = false;
  return deliver(result);
}

__attribute__((constructor)) void begin() { gate::the_gate.on_futex_wait.store(futex_wait); }

}  // namespace
}  // namespace weir::intercept
