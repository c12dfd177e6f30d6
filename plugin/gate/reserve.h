// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "sys/lock.h"

namespace weir::gate {

// The threads of a loop whose pieces they take as they come: those at work, and those that stay behind between two pieces. There a
// wait costs nothing: the thread has nothing in hand that would grow cold, and the piece it would have taken is another's. Who
// came last is called first; but one of them, the lookout, last of all.
//
//   outside --enter()--> at work --stay()--> behind --call_one() or call_all() by another--> at work --leave()--> outside
//                                              `-----------timeout-------------------------^
class Reserve {
 public:
  void enter() { in_loop_.fetch_add(1, std::memory_order_relaxed); }
  void leave() { in_loop_.fetch_sub(1, std::memory_order_relaxed); }
  std::int64_t behind() const { return behind_.load(std::memory_order_seq_cst); }
  std::int64_t at_work() const { return in_loop_.load(std::memory_order_relaxed) - behind(); }

  enum class Woken { called, of_use, timeout };
  // Returns when the calling thread was called, or after `timeout_ns`. `useless` is asked once all others can see that the caller is
  // behind, and does not count as at work: where it is of use after all, it does not wait.
  template <typename Useless>
  Woken stay(std::int64_t timeout_ns, bool as_lookout, Useless useless) {
    Sleeper me;
    lie_down(me, as_lookout);
    if (useless()) return sleep(me, timeout_ns);
    return get_up(me) ? Woken::called : Woken::of_use;
  }
  void call_one();
  void call_all();

  // Those behind wait for a core to be idle: one is called when a thread that blocks leaves one so.
  void for_idle_cores(bool on) { for_idle_cores_.store(on, std::memory_order_relaxed); }
  bool has_one_for_idle_core() const { return for_idle_cores_.load(std::memory_order_relaxed) && behind() > 0; }

  // Of those behind, one looks at each window how the others fare.
  bool become_lookout() { return !has_lookout_.exchange(true, std::memory_order_acq_rel); }
  void resign_as_lookout() { has_lookout_.store(false, std::memory_order_release); }

  void after_fork();

 private:
  struct Sleeper {
    std::atomic<std::uint32_t> called{0};
    Sleeper* above = nullptr;
    Sleeper* below = nullptr;
  };
  void lie_down(Sleeper& me, bool at_the_bottom);
  Woken sleep(Sleeper& me, std::int64_t timeout_ns);
  bool get_up(Sleeper& me);
  void unlink_locked(Sleeper& me);

  std::atomic<std::int64_t> in_loop_{0};
  std::atomic<std::int64_t> behind_{0};  // written under lock_
  std::atomic<bool> has_lookout_{false};
  std::atomic<bool> for_idle_cores_{false};
  sys::Lock lock_;
  Sleeper* top_ = nullptr;  // under lock_, as all of the list
  Sleeper* bottom_ = nullptr;
};

}  // namespace weir::gate
