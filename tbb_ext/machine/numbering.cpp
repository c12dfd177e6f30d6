// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/numbering.h"

#include <atomic>

#include "base/clock.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "tbb_ext/machine/arrival.h"
#include "tbb_ext/machine/processors.h"

namespace weir::tbb {
namespace {

constinit std::atomic<int> waiters{0};
constinit std::atomic<bool> told{false};

// Beyond that who has a number may be waiting for who has none, by a lock say: then two have the same.
constexpr std::int64_t patience_ns = 10'000 * base::ns_per_ms;

}  // namespace

unsigned short told_for(unsigned short slot, int slots) {
  int bound = concurrency(slots);
  const weir_tbb_adapter* here = bound < slots ? adapter() : nullptr;
  if (!here) return slot;
  told.store(true, std::memory_order_relaxed);
  unsigned short number = here->number_of(slot, bound);
  if (number != WEIR_TBB_NO_NUMBER) return number;
  waiters.fetch_add(1);
  gate::without_core([&] {
    const std::int64_t until = base::now_ns() + patience_ns;
    while ((number = here->number_of(slot, bound)) == WEIR_TBB_NO_NUMBER && base::now_ns() < until) {
      base::EngineScope ours;
      here->await_number();
    }
  });
  waiters.fetch_sub(1);
  return number != WEIR_TBB_NO_NUMBER ? number : static_cast<unsigned short>(slot % bound);
}

bool numbers_are_told() { return told.load(std::memory_order_relaxed); }

void finds_no_task() {
  if (waiters.load(std::memory_order_relaxed) > 0) sleeps_without_task();
}

void sleeps_without_task() {
  if (!told.load(std::memory_order_relaxed) || base::self().wants_tbb_lock) return;
  base::EngineScope ours;
  adapter()->spare_number();
}

}  // namespace weir::tbb
