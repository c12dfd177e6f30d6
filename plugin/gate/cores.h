// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "sys/lock.h"

namespace weir::gate {

// Leave to compute: at most `limit` threads of teams and arenas hold a core slot at once, and `spare` more that have a task.
// Which of a few threads a core computes for, the kernel knows best: it leaves a core idle for milliseconds when it has put
// all that compute on another, and a slot is free of work from the moment its holder blocks until the next thread runs.
// Too many at once it does not do well either: hence `spare` is a small multiple of the cores.
// Waiting threads are woken last in, first out: the most recent one has the warmest cache.
//
//   without --take(): slot free---------------------------> holds
//   without --take(): none free--> sleeps --give() by another--> called: takes a slot, or sleeps on
//                                         --timeout-----------> holds, over the limit
//   holds   --give()-----------------------------------------> without
//
// A slot is not handed to the sleeper that is called: until that one runs, whoever runs already may take it. Handed over,
// a slot would idle for as long as a thread takes to wake, at each call that blocks.
class Cores {
 public:
  // Who has a task to go on with is called before who only looks for one.
  enum Haste { has_task, looks_for_work };

  // Returns when the calling thread may compute. False when it waited for nothing and goes on over the limit: at most
  // `timeout_ns`; with a task, less where such waits have been in vain before, and up to ten times as long, or a second, while
  // slots go from hand to hand.
  bool take(std::int64_t timeout_ns, Haste haste = has_task);
  // For a holder that looks for work in vain, or spins in the midst of a task: one that waits goes on in its place, and it waits
  // behind all others. Who has a task does so only for others that have one. False, and nothing happened: none of those waits.
  bool make_way(std::int64_t timeout_ns, Haste haste = looks_for_work);
  bool take_in_turn(std::int64_t timeout_ns);  // with a task; false, and it has none, when it waited so long without being called
  void take_over() { held_.fetch_add(1); }  // does not wait, whatever the limit
  void give();
  void set_limit(std::int64_t limit, std::int64_t spare = 0);
  // Whatever the limit, and what is spare: not more than `most`, until that is over.
  static constexpr std::int64_t any_number = std::int64_t{1} << 60;
  void hold_to(std::int64_t most);
  // From the one to the other there is room for all, those that wait and those that come.
  void open();
  void close() { open_.fetch_sub(1); }
  std::int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  std::int64_t spare() const { return spare_.load(std::memory_order_relaxed); }
  // Does a thread that has a task wait for a core?
  bool wanted() const { return in_haste_.load(std::memory_order_relaxed) > 0; }
  std::int64_t waiting() const { return sleeping_.load(std::memory_order_relaxed); }
  // Do more compute than should?
  bool crowded() const { return held() > room_for(has_task); }
  std::int64_t held() const { return held_.load(std::memory_order_relaxed); }
  void after_fork();

 private:
  struct Sleeper {
    std::atomic<std::uint32_t> called{0};
    Sleeper* below = nullptr;
    Haste haste = has_task;
  };
  struct Patience {
    std::int64_t step, end, latest;
  };
  static constexpr std::int64_t least_patience_ns = 50'000;
  // With a task, while others give their slots back: so many times the usual wait, and not longer than this.
  static constexpr std::int64_t longest = 10, longest_ns = 1'000'000'000;
  std::int64_t room_for(Haste haste) const;
  Patience patience_of(std::int64_t timeout_ns, Haste haste) const;
  bool try_take(Haste haste);
  void go_on_over_limit(Haste haste, std::int64_t patience_ns, std::uint32_t gives);  // `gives`: when its wait began
  void learn_patience(std::int64_t patience_ns);
  bool lie_down(Sleeper& me);
  void lie_down_last_locked(Sleeper& me);
  bool sleep(Sleeper& me, Patience& mine);
  std::atomic<std::uint32_t>* call_one_locked();
  bool call_one();
  void call_for_room();
  void leave_locked(const Sleeper& sleeper);

  std::atomic<std::int64_t> limit_{1};
  std::atomic<std::int64_t> spare_{0};
  std::atomic<std::int64_t> most_{any_number};
  std::atomic<std::int64_t> held_{0};
  sys::Lock lock_;
  std::atomic<std::int64_t> sleeping_{0};
  std::atomic<std::uint32_t> gives_{0};       // while somebody slept; written under lock_
  std::atomic<std::int32_t> open_{0};
  std::atomic<std::int64_t> patience_ns_{std::int64_t{1} << 60};
  std::atomic<std::int64_t> in_haste_{0};  // of those that sleep
  Sleeper* top_[2] = {nullptr, nullptr};   // by haste; under lock_
};

}  // namespace weir::gate
