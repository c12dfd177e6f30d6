// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "sys/lock.h"

// Threads that make connections, each blocked in its call. The other end has a queue for those that it has not accepted yet, often of
// five: who finds it full tries again by itself a second later, then three. That shows: who came later is done, and who came before is
// not. So a few begin, and with each that is done in its turn there may be one more at a time. A connection is new until something
// was received on its thread, for nothing else tells that it was accepted.
namespace weir::gate {

class Connecting {
 public:
  using Turn = std::uint64_t;  // 0: none

  // Waits while as many connections as may be are new or being made, for some seconds at the most.
  Turn begin(std::int64_t cores);
  void made(Turn turn, std::int64_t took_ns);
  void over(Turn turn);

  std::int64_t more_at_a_time() const { return more_; }
  void after_fork();

 private:
  static constexpr int most = 1024;  // of more than these no account is kept
  struct New {
    Turn turn;
    bool made;
  };

  std::int64_t limit(std::int64_t cores) const;
  New* find(Turn turn);
  void let_another_begin();

  sys::Lock lock_;
  Turn last_ = 0;
  New all_[most] = {};
  int count_ = 0;
  int waiting_ = 0;
  std::int64_t more_ = 0;  // than one began with
  std::atomic<std::uint32_t> changed_{0};
};
extern Connecting connecting;

// The calling thread's, if it has a new one. (A signal handler that closes something finds none, where it breaks into this.)
inline void connection_is_old() {
  base::Thread& thread = base::self_unsuspended();
  if (!thread.connection) [[likely]] return;
  Connecting::Turn turn = thread.connection;
  thread.connection = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  connecting.over(turn);
}

}  // namespace weir::gate
