// SPDX-License-Identifier: Apache-2.0
#include "path/yielding.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "path/waiting.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/runtimes.h"

namespace weir::path {
namespace {

// Who spun first looks first, for it is likely to get what several want; and however many there are, somebody looks every so often:
// that is what the number of digits is for, by which the sum of 1, 1/2, 1/3 ... grows.
std::int64_t until_next_look_ns(wait::LookOrder::Place place) {
  constexpr std::int64_t shortest_ns = 20'000;
  return shortest_ns * (place.older + 1) * (std::bit_width(static_cast<std::uint64_t>(place.company)) + 1) / 2;
}

// What stands back again from the same frame, and did nothing but look in between, spins as before.
std::uint64_t number_of(const base::Thread& thread, const void* frame) {
  return thread.looks_from == frame ? thread.looks_as : wait::look_order.next_number();
}

// That many may be set aside beyond a runtime's cap: with threads that only spin, no task would ever leave.
constexpr std::int64_t beyond_the_cap = 4'000;

// What goes on does so on top of this task: with a lock held, one might want it and be unable to get off.
bool serve(const weir_runtime& runtime) {
  if (base::self().lock_depth > 0) return false;
  wait::KeptErrno kept;
  return runtime.serve && runtime.serve();
}

// A thread that ever was in a team may be in one now: there not everything stands in a place.
const weir_runtime* runtime_here(const base::Thread& thread) {
  const weir_runtime* runtime = wait::runtime_of(thread.place);
  return runtime || !thread.omp ? runtime : wait::runtime_of(base::in_omp_task);
}

bool may_be_set_aside(const weir_runtime& runtime) {
  int refusal = runtime.refuses();
  return !refusal || (refusal == WEIR_REFUSED_CAP && wait::look_order.company() < beyond_the_cap);
}

// The locks that are held here, while oneTBB takes the task to another thread. (OpenMP's are counted a task, and keep their thread.)
class LocksOnTheWay {
 public:
  LocksOnTheWay() {
    base::Thread& from = base::self();
    if (!(from.place & base::in_tbb_arena) || from.lock_depth <= 0) return;
    locks_ = std::exchange(from.lock_depth, 0);
    plain_ = std::exchange(from.plain_locks, 0);
    aside_with_locks.fetch_add(1, std::memory_order_relaxed);
  }
  ~LocksOnTheWay() {
    if (!locks_) return;
    base::Thread& to = base::self();
    to.lock_depth += locks_;
    to.plain_locks += plain_;
    aside_with_locks.fetch_sub(1, std::memory_order_relaxed);
  }
  LocksOnTheWay(const LocksOnTheWay&) = delete;
  LocksOnTheWay& operator=(const LocksOnTheWay&) = delete;

 private:
  std::int32_t locks_ = 0, plain_ = 0;
};

// As wait::choose, but for the watchdog: that ready tasks do not go on is no reason against making way for them.
bool step_back(const void* frame) {
  base::Thread& thread = base::self();
  if (thread.engine_depth || base::in_signal_handler()) return false;
  if (wait::policy.best.load(std::memory_order_relaxed) != wait::Lane::suspend) return false;
  std::uint64_t number = number_of(thread, frame);
  thread.looks_from = nullptr;
  const weir_runtime* runtime = runtime_here(thread);
  if (!runtime) return false;
  if (!may_be_set_aside(*runtime)) return serve(*runtime);
  Result ignored;
  int refusal;
  bool done;
  {
    LocksOnTheWay locks;
    done = perform(op::timeout(until_next_look_ns(wait::look_order.joins(number))), false, *runtime, &ignored, &refusal);
  }
  wait::look_order.leaves(number);
  if (!done) return serve(*runtime);
  base::Thread& now = base::self();
  now.looks_from = frame;
  now.looks_as = number;
  return true;
}

}  // namespace

bool libtbb_may_hold_one(const base::Thread& thread) {
  return (thread.place & base::in_tbb_arena) && meter::gauges.resumed.load(std::memory_order_relaxed) > 0;
}

bool stand_back() { return base::self().lock_depth <= 0 && step_back(__builtin_frame_address(0)); }

bool stand_back_in_wait(std::int64_t since_ns) {
  const base::Thread& thread = base::self();
  if (thread.lock_depth > 0) {
    if (!may_make_way_with_locks(thread)) return false;
    const bool in_arena = thread.place & base::in_tbb_arena;
    const bool is_last = in_arena ? wait::policy.held_back.load(std::memory_order_relaxed)
                                  : base::now_ns() - since_ns >= patience_with_locks_ns;
    if (!is_last) return false;
  }
  return step_back(__builtin_frame_address(0));
}

std::int64_t waits_in_row_since(std::int64_t began_ns) {
  constexpr std::int64_t longest_between_ns = 10 * base::ns_per_ms;
  const base::Thread& thread = base::self();
  return began_ns - thread.row_end_ns > longest_between_ns ? began_ns : std::min(began_ns, thread.row_since_ns);
}

void waited_in_row_until(std::int64_t since_ns, std::int64_t ended_ns) {
  base::Thread& thread = base::self();
  thread.row_since_ns = since_ns;
  thread.row_end_ns = ended_ns;
}

bool stand_back_in_row(std::int64_t began_ns) {
  const std::int64_t since_ns = waits_in_row_since(began_ns);
  const bool done = stand_back_in_wait(since_ns);
  waited_in_row_until(since_ns, base::now_ns());
  return done;
}

void waited_in_row(std::int64_t began_ns) {
  constexpr std::uint8_t some = 4;
  if (++base::self().sleeps_in_place % some == 0) stand_back_in_row(began_ns);
  else waited_in_row_until(waits_in_row_since(began_ns), base::now_ns());
}

}  // namespace weir::path
