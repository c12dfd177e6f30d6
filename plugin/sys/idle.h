// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::sys {

// Told, while it is set, that a thread that runs tasks has none to run now: what was put off until then is to be done.
extern std::atomic<void (*)()> on_idle;

// How many threads are idle in the lower half, and in the upper how often one ceased to be: read together.
extern std::atomic<std::uint64_t> idle_state;
constexpr std::uint64_t one_ceased = std::uint64_t{1} << 32;
inline std::int32_t idle_threads(std::uint64_t state) { return static_cast<std::int32_t>(state & (one_ceased - 1)); }

// Of those that are idle now, how many would be if the `told` that were sent for since `before` were up already?
inline std::int32_t idle_threads_but(std::uint32_t told, std::uint64_t before, std::uint64_t now) {
  auto ceased = static_cast<std::uint32_t>(now >> 32) - static_cast<std::uint32_t>(before >> 32);
  return idle_threads(now) - static_cast<std::int32_t>(told > ceased ? told - ceased : 0);
}

inline void tell_idle() {
  if (auto* tell = on_idle.load(std::memory_order_relaxed)) tell();
}

// Around such a thread's sleep.
class Idle {
 public:
  Idle() {
    idle_state.fetch_add(1, std::memory_order_seq_cst);
    tell_idle();
  }
  ~Idle() { idle_state.fetch_add(one_ceased - 1, std::memory_order_relaxed); }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
};

}  // namespace weir::sys
