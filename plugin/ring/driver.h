// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/list.h"
#include "op/op.h"
#include "ring/ring.h"

namespace weir::ring {

// The thread of ours that owns a ring and sleeps in the kernel. Whoever wants an operation done leaves the request in
// its inbox; a thread that ends, forks or blocks takes no operation with it, since it submitted none.
//
//   any thread: submit(request) -> inbox ..> driver: ring -> kernel ..> completion -> request.done(request), on the driver
class Driver {
 public:
  // Starts the thread and returns when its ring stands: 0, or why not (-errno); then everything parks. One that has not begun to open
  // its ring in time never will.
  int start(const sys::Capabilities& can, std::int64_t patience_ns = 2 * base::ns_per_s);

  // From any thread. The request is the driver's until its done() was called. False: the driver is not running, or
  // died with its ring; then done() is not called.
  bool submit(op::Request& request);

  // Asks for an early end; done() comes with -ECANCELED, or with the result that was faster. From any thread, while
  // the request is not known to be over. Waits until the driver has heard.
  void cancel(op::Request& request);

  // Before a descriptor is closed for which requests were submitted: when it returns, the kernel has them, and with `asked` those that
  // were begun on a guess have been asked. Not on the driver's thread.
  void settle(bool asked);

  // Called on the driver's thread before each sleep; returns how long it may sleep at most (< 0: no limit). Set it
  // before start(). poke() makes it be called soon.
  void on_tick(std::int64_t (*tick)(std::int64_t now_ns)) { tick_ = tick; }
  void poke();

  // A thread has nothing to do: what the driver was in no hurry about, it is to do now. From any thread.
  void hurry() {
    Sleep now = sleep_.load(std::memory_order_seq_cst);
    if (now == napping || (now != awake && gathered_.load(std::memory_order_relaxed))) wake(napping);
  }

  bool running() const { return running_.load(std::memory_order_acquire); }
  void after_fork();  // in the child: the thread is gone, and the ring the parent's

 private:
  struct Cancel : base::Link {
    op::Request* request;  // null: nothing is to be cancelled, but all handed in before to be the kernel's (settle)
    std::atomic<std::uint32_t> taken;
    bool asked = false;
  };

  static void body(void* self);
  int open();
  void run();
  void turn();
  bool may_gather();
  bool take_inbox();
  bool take_both();
  void wait_until_taken(Cancel& cancel);
  bool serve(Cancel& cancel);
  std::int64_t doubts_patience_ns(std::int64_t now);
  bool arm_wake();  // false: no room in the ring
  void wake_again();
  // A thread that was just told of a task counts as one that is busy.
  bool may_nap(std::uint32_t told, std::uint64_t idle_before) const;
  void nap(std::uint32_t told, std::uint64_t idle_before);
  enum Sleep : std::uint32_t { awake, napping, dozing, asleep };
  void wake(Sleep least = napping);  // whoever sleeps at least so deeply

  Ring ring_;
  base::Inbox inbox_;
  base::Inbox cancels_;
  std::atomic<bool> running_{false};
  std::atomic<Sleep> sleep_{awake};
  // begun --thread--> opening --its ring stands, or never will--> open_or_not;   begun --start(), out of patience--> too_late
  enum Start : std::uint32_t { begun, opening, open_or_not, too_late };
  std::atomic<std::uint32_t> started_{begun};
  std::atomic<std::uint32_t> wake_word_{0};  // what the ring waits on; without that operation: sys::Own::wake
  std::atomic<std::uint32_t> nap_over_{0};   // what a nap waits on: 1 ends it
  std::atomic<bool> has_plenty_{false};  // the device has so much to do that more can wait for each other,
  std::atomic<int> gathered_{0};         // and so many do
  std::int64_t doubts_due_ = 0;
  std::atomic<bool> unsure_{false};  // something was begun on a guess, and not asked yet
  bool armed_ = false;
  int start_result_ = 0;
  std::int32_t tid_ = 0;
  sys::Capabilities can_;
  std::int64_t (*tick_)(std::int64_t now_ns) = nullptr;
};

}  // namespace weir::ring
