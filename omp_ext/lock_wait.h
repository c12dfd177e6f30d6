// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

// Whoever holds one of OpenMP's locks may wait for its children; a child that was set aside goes on on the thread where
// it began, and that thread may come to want the lock. Bare, the child would have been over by then. So while tasks are
// aside, who finds a lock taken does not sleep for it in libomp, but asks again and lets others go on between.
//
// And of a team with stand-ins many may want one lock at a time. libomp hands its locks on in the order of asking: each time to a
// thread that has no core just then. There, too, who finds a lock taken waits for it here, and who runs may take it first.
//
// Of a team without stand-ins, who finds one taken would spin in libomp for as long as the holder reads: it spins a while, and sleeps here.
namespace weir::omp {

// Does the calling thread work in a team with stand-ins?
bool in_wide_team();

// Or in one without?
bool in_narrow_team();

// May what the lock's holder waits for be a task that was set aside on this thread?
bool others_want_this_thread();

// Asks until take(argument) says that the lock is the caller's, which may be on another thread then.
void wait_for_lock(const void* lock, bool (*take)(void*), void* argument);

// It was given back.
void lock_given(const void* lock);

// A critical section, known by its name, for whose lock libomp knows no asking: is somebody inside? That is told before
// libomp's lock is given away and, without anything aside, only after it was taken.
// A dozen threads may look at once whether it is free: what they look at is written when somebody enters or leaves, and not otherwise.
class alignas(64) Critical {
 public:
  // nullptr: there are more names than places for them.
  static Critical* of(const void* name);

  // Before libomp's lock is asked for: returns when it is free, unless others overtake.
  void await();
  void entered();
  void leaves();

  // A thread of the team has nothing to do: who sleeps for a section that is free goes in.
  static void core_is_idle();

 private:
  bool try_enter() { return !inside_.load(std::memory_order_relaxed) && !inside_.exchange(true); }
  void await_in_team();
  void await_in_narrow_team();
  bool spun_until_free();
  bool watched_until_free();
  void sleep();
  void call_one();
  void wake_one();

  std::atomic<const void*> name_;
  std::atomic<bool> inside_;
  std::atomic<bool> is_away_;          // who is inside has given its core
  // Seldom written.
  alignas(64) std::atomic<std::atomic<bool>*> outer_;  // what it told so before
  std::atomic<std::uint32_t> called_;  // so often a sleeper was
  std::atomic<std::int32_t> sleepers_;
  std::atomic<std::int32_t> waiters_;  // sleep too, in a team without stand-ins
  std::atomic<bool> one_comes_;
  std::atomic<std::int64_t> watched_until_ns_;  // one that waits has kept its core
};

}  // namespace weir::omp
