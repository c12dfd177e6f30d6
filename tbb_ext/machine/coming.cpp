// SPDX-License-Identifier: Apache-2.0
#include "machine/coming.h"

#include <atomic>

#include "base/thread.h"
#include "gate/gate.h"
#include "machine/processors.h"

namespace weir::tbb {
namespace {
constinit std::atomic<bool> have_stand_ins{false};
}

void coming() {
  if (!told_more()) return;
  if (have_stand_ins.load(std::memory_order_relaxed)) return gate::take_core();
  base::Thread& thread = base::self();
  if (thread.holds_core) return;
  thread.holds_core = true;
  gate::the_gate.cores.take(0);
}

void going() { gate::give_core(); }

void stand_ins(int present) { have_stand_ins.store(present, std::memory_order_relaxed); }

}  // namespace weir::tbb
