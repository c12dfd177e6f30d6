// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/looked.h"

namespace weir::omp {

bool Looked::asks() {
  Looks so_far = none;
  return looks_.compare_exchange_strong(so_far, asked, std::memory_order_relaxed) || so_far != second;
}

void Looked::look(std::uint64_t registers) {
  const meter::Counters& counters = meter::mine();
  const std::int64_t calls = counters.calls.value();
  const bool same = registers == registers_.exchange(registers, std::memory_order_relaxed) &&
                    calls == calls_.exchange(calls, std::memory_order_relaxed);
  const Looks so_far = looks_.load(std::memory_order_relaxed);
  if (so_far == first && same) waits_.store(true, std::memory_order_relaxed);
  counters_.store(&counters, std::memory_order_relaxed);
  looks_.store(so_far == asked ? first : second, std::memory_order_release);
}

void Looked::others_went_on() {
  if (looks_.load(std::memory_order_acquire) < first) return;
  calls_.store(counters_.load(std::memory_order_relaxed)->calls.value(), std::memory_order_relaxed);
  others_went_on_.store(true, std::memory_order_release);
}

wait::Stall Looked::judge() {
  const Looks looks = looks_.exchange(none, std::memory_order_relaxed);
  bool waits = waits_.exchange(false, std::memory_order_relaxed);
  if (others_went_on_.exchange(false, std::memory_order_acquire))
    waits |= counters_.load(std::memory_order_relaxed)->calls.value() != calls_.load(std::memory_order_relaxed);
  if (waits) return wait::Stall::waits;
  return looks < first ? wait::Stall::unknown : wait::Stall::computes;
}

}  // namespace weir::omp
