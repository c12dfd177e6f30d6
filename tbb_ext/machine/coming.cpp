// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/coming.h"

#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "tbb_ext/machine/processors.h"

namespace weir::tbb {
namespace {

constinit std::atomic<bool> have_stand_ins{false};
constinit char worker_mark = 0;  // what a worker's record points to

// Long, but not for ever: should cores be held by threads that wait for what this one would do, the program goes on.
constexpr std::int64_t patience_ns = 5 * base::ns_per_s;

}  // namespace

void coming() {
  if (!told_more()) return;
  if (!have_stand_ins.load(std::memory_order_relaxed)) return gate::take_core_at_once();
  base::Thread& thread = base::self();
  if (thread.tbb != &worker_mark) return gate::take_core();
  if (thread.holds_core) return;
  thread.holds_core = true;
  gate::the_gate.cores.take(patience_ns, gate::Cores::looks_for_work);
}

void going() { gate::give_core(); }

void idling() {
  if (!base::self().holds_core || !gate::the_gate.cores.wanted()) return;
  going();
  coming();
}

void stand_ins(int present) { have_stand_ins.store(present, std::memory_order_relaxed); }

bool is_worker() { return base::self().tbb == &worker_mark; }

void become_worker() { base::self().tbb = &worker_mark; }

}  // namespace weir::tbb
