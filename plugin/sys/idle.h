// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::sys {

// Told, while it is set, that a thread that runs tasks has none to run now: what was put off until then is to be done.
extern std::atomic<void (*)()> on_idle;
extern std::atomic<std::int32_t> idle_threads;

inline void tell_idle() {
  if (auto* tell = on_idle.load(std::memory_order_relaxed)) tell();
}

// Around such a thread's sleep.
class Idle {
 public:
  Idle() {
    idle_threads.fetch_add(1, std::memory_order_seq_cst);
    tell_idle();
  }
  ~Idle() { idle_threads.fetch_sub(1, std::memory_order_relaxed); }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
};

}  // namespace weir::sys
