// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/list.h"
#include "base/thread.h"
#include "op/op.h"
#include "sys/lock.h"

// Threads that make connections, each blocked in its call, and requests of tasks that are set aside. The other end has a queue for
// those that it has not accepted yet, often of five: who finds it full tries again by itself a second later, then three. That shows:
// who came later is done, and who came before is not. So a few begin, and with each that is done in its turn there may be one more
// at a time. A connection is new until something was received on its thread, or at a task's number, for nothing else tells that it
// was accepted.
namespace weir::gate {

// Is it a connection that is tried again later where it finds no room?
bool tries_again(const op::Op& operation);

class Connecting {
 public:
  using Turn = std::uint64_t;  // 0: none

  // Waits while as many connections as may be are new or being made, for some seconds at the most.
  Turn begin(std::int64_t cores);
  void made(Turn turn, std::int64_t took_ns);
  void over(Turn turn);

  // True: the request may be submitted now. False: `submit` is called with it when it may, after some seconds at the most.
  bool admit(op::Request& request, std::int64_t cores, void (*submit)(op::Request&));
  // Takes back one that was not submitted yet. False: it was.
  bool withdraw(op::Request& request);
  // Of one that was, whatever came of it.
  void ended(const op::Request& request);
  // Is one of a task's at this number new?
  bool may_be_new_at(int fd) const { return marks_[word_of(fd)].load(std::memory_order_relaxed) & bit_of(fd); }
  void over_at(int fd);
  // The number is about to stand for something else: what is queued for it is submitted.
  bool any_queued() const { return queued_.load(std::memory_order_relaxed) > 0; }
  void number_ends(int fd);
  // Now and then, while any are queued: those go that have waited for long.
  void look(std::int64_t now_ns);

  std::int64_t more_at_a_time() const { return more_; }
  void after_fork();

 private:
  static constexpr int most = 1024;  // of more than these no account is kept
  struct New {
    Turn turn;
    bool made;
    const op::Request* request;  // of a task, while it is being made; else nullptr
    int fd;                      // of a task's, once it is made; else -1
    std::int64_t since_ns;       // of a task's: when it began, or was made
  };

  std::int64_t limit(std::int64_t cores) const;
  New* find(Turn turn);
  template <typename Change>
  void apply(Change change);
  bool is_there_room() const { return count_ < limit(cores_) || count_ == most; }
  void begin_locked(const op::Request& request, std::int64_t now_ns);
  void made_locked(New& mine, std::int64_t took_ns);
  void remove_locked(New* which);
  void forget_old_locked(std::int64_t now_ns);
  void let_others_begin_locked(std::int64_t now_ns, base::Queue& may_go);
  void submit(base::Queue& may_go);

  static unsigned word_of(int fd) { return static_cast<unsigned>(fd) / 64 % 16; }
  static std::uint64_t bit_of(int fd) { return std::uint64_t{1} << static_cast<unsigned>(fd) % 64; }

  sys::Lock lock_;
  Turn last_ = 0;
  New all_[most] = {};
  int count_ = 0;
  int waiting_ = 0;
  std::int64_t more_ = 0;  // than one began with
  std::int64_t cores_ = 0;
  base::Queue queue_;
  void (*submit_)(op::Request&) = nullptr;
  std::atomic<int> queued_{0};
  std::atomic<std::uint64_t> marks_[16] = {};  // of numbers that new ones may have, several to a bit; written under the lock
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

// Something was received at this number. (Not in a signal handler, which may have broken into this.)
inline void connection_is_old_at(int fd) {
  if (connecting.may_be_new_at(fd) && !base::in_signal_handler()) [[unlikely]] connecting.over_at(fd);
}

}  // namespace weir::gate
