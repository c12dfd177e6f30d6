// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/resting.h"

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "sys/futex.h"
#include "sys/idle.h"
#include "sys/wakes.h"

namespace weir::tbb {
namespace {

// What others make for this thread to do meanwhile it finds by so much later.
constexpr std::int64_t longest_ns = 100 * base::ns_per_us;

constinit std::atomic<std::uint32_t> resting{0};  // threads
constinit std::atomic<std::uint32_t> readied{0};  // counts, while some rest; they sleep on it

bool none_ready() { return meter::gauges.ready.value() <= 0; }

}  // namespace

// Announced before the last look: of that and a task that becomes ready, one sees the other.
void task_was_set_aside() {
  base::Thread& thread = base::self();
  bool new_ones_may_be_there = !thread.tbb_went_on;
  thread.tbb_went_on = false;
  if (new_ones_may_be_there || gate::the_gate.cores.limit() > 1 || !none_ready()) return;
  sys::send_wakes();
  std::uint32_t seen = readied.load(std::memory_order_seq_cst);
  resting.fetch_add(1, std::memory_order_seq_cst);
  if (none_ready()) {
    sys::Idle idle;
    sys::futex_wait(readied, seen, longest_ns);
  }
  resting.fetch_sub(1, std::memory_order_relaxed);
}

void task_goes_on() { base::self().tbb_went_on = true; }

void task_is_ready() {
  if (!resting.load(std::memory_order_seq_cst)) return;
  readied.fetch_add(1, std::memory_order_seq_cst);
  sys::wake_soon(readied, 1, sys::Sleeper::idles);
}

}  // namespace weir::tbb
