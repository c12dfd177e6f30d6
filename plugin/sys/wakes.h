// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::sys {

// Of what is woken: a thread that waits for something of its own, or one without a task (sys::Idle).
enum class Sleeper : std::uint8_t { waits, idles };

// While it lives, what its thread wakes by wake_soon() sleeps on, and wakes at its end, or before that thread itself sleeps:
// who makes many ready would otherwise lose its core to the first. One at a time for a thread.
class WakesTogether {
 public:
  WakesTogether();
  ~WakesTogether();
  WakesTogether(const WakesTogether&) = delete;
  WakesTogether& operator=(const WakesTogether&) = delete;
  // On how many words idle threads were told to wake: each is one's own, or one at a time is woken on it.
  std::uint32_t idle_told() const { return idle_told_; }

 private:
  friend void wake_soon(std::atomic<std::uint32_t>& word, int count, Sleeper who);
  friend void send_wakes();
  void add(std::atomic<std::uint32_t>& word, int count, Sleeper who);
  void send();

  struct Wake {
    std::atomic<std::uint32_t>* word;  // its memory may be gone by then: a wake of no futex is harmless
    int count;
  };
  static constexpr int most = 32;
  Wake wakes_[most];
  int size_ = 0;
  std::uint32_t idle_told_ = 0;
};

// futex_wake(), now or at the end of the thread's WakesTogether.
void wake_soon(std::atomic<std::uint32_t>& word, int count = 1, Sleeper who = Sleeper::waits);

// Those that this thread keeps back, if it does: before it waits for what another one does, in whatever way.
void send_wakes();

}  // namespace weir::sys
