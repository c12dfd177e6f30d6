// SPDX-License-Identifier: Apache-2.0
#include "wait/unseen_locks.h"

#include "meter/counters.h"

namespace weir::wait {

constinit UnseenLocks unseen_locks;

// Of two callers at the same place the first has it.
UnseenLocks::Verdict UnseenLocks::begins(const void* address, bool may_try, std::int32_t tries) {
  Place& place = places_[(reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u) >> 58];
  const void* there = place.address.load(std::memory_order_relaxed);
  if (!there && place.address.compare_exchange_strong(there, address)) there = address;
  if (there != address || !address) {
    if (latest_.load(std::memory_order_relaxed)) latest_.store(nullptr, std::memory_order_relaxed);
    return Verdict::nothing_known;
  }
  if (place.held.load(std::memory_order_relaxed)) return Verdict::held;
  if (place.calls.load(std::memory_order_relaxed) >= watched) return Verdict::nothing_known;
  std::int32_t before = place.calls.fetch_add(1, std::memory_order_relaxed);
  if (tries != tried) place.more_tries.store(tries - tried, std::memory_order_relaxed);
  latest_.store(&place, std::memory_order_relaxed);
  return may_try && before < tries ? Verdict::trial : Verdict::nothing_known;
}

void UnseenLocks::somebody_wants() {
  if (!latest_.load(std::memory_order_relaxed)) return;
  if (meter::gauges.suspended.value() + meter::gauges.in_flight.parked() != 1) return;
  Place* place = latest_.exchange(nullptr, std::memory_order_relaxed);
  if (!place) return;
  std::int32_t wanted = place->wanted.fetch_add(1, std::memory_order_relaxed) + 1;
  std::int32_t calls = place->calls.load(std::memory_order_relaxed) - place->more_tries.load(std::memory_order_relaxed);
  if (wanted >= enough && 2 * wanted >= calls) place->held.store(true, std::memory_order_relaxed);
}

}  // namespace weir::wait
