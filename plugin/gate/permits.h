// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "base/list.h"
#include "op/op.h"
#include "meter/counters.h"
#include "sys/lock.h"

namespace weir::gate {

// Leave to have one storage call under way. Bounded waits only: a permit is a matter of speed, never of correctness.
//
//   free --acquire()/admit()--> held --release()--> free, or straight to the request that waited longest
class Permits {
 public:
  // The calling thread blocks for a permit, at most `timeout_ns` during which none comes back. False: none came; go on
  // without and do not release.
  bool acquire(std::int64_t timeout_ns);

  // For a task that is set aside: true, the request has its permit now; false, it is queued and comes out of a later
  // release() or overdue().
  bool admit(op::Request& request);

  // Takes a request out of the queue, which then has no permit and gives none back. False: it is not there.
  bool withdraw(op::Request& request);

  // Gives a permit back. The request that takes it over, to be submitted by the caller; or nullptr.
  op::Request* release();

  // A request that has waited since before `now_ns - timeout_ns` while no permit came back: what holds them may be
  // waiting for it. Let through over the limit; or nullptr. Few at first, twice as many each such time after: a device that
  // stands still for a moment must not find all that wait when it goes on.
  op::Request* overdue(std::int64_t now_ns, std::int64_t timeout_ns);

  // From any thread. A lower limit takes effect as permits come back; a higher one lets queued requests out of
  // raised(), which the caller then submits until nullptr.
  void set_limit(std::int64_t limit);
  op::Request* raised();

  std::int64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  std::int64_t held() const { return held_.load(std::memory_order_relaxed); }
  std::int64_t waiting() const {  // callers that want a permit and have none
    return queued_.load(std::memory_order_relaxed) + sleepers_.load(std::memory_order_relaxed);
  }
  bool any_left() const;  // for one more caller
  bool anyone_queued() const { return queued_.load(std::memory_order_relaxed) > 0; }

  // Called, often, by callers that find no permit free; must not block. Set before threads are.
  void on_crowded(void (*crowded)()) { crowded_.store(crowded, std::memory_order_release); }

  void after_fork();

 private:
  void tell_crowded() {
    if (auto crowded = crowded_.load(std::memory_order_acquire)) crowded();
  }
  bool try_take();
  bool take_handed();
  bool hands_over();
  void wake_one();
  std::int64_t few() const;
  op::Request* pop_locked();
  bool lets_through_locked(std::int64_t now_ns, std::int64_t timeout_ns);

  std::atomic<std::int64_t> limit_{1 << 30};
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::int64_t> queued_{0};   // requests in the queue
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> handed_{0};   // permits put by for threads that have slept
  std::atomic<std::uint32_t> returns_{0};  // that came back while threads slept
  std::atomic<std::uint32_t> turn_{0};    // changes whenever a permit may be had: what sleeping threads wait on
  std::atomic<std::int64_t> moved_ns_{0};  // when a permit last came back that somebody waited for
  std::atomic<void (*)()> crowded_{nullptr};
  sys::Lock lock_;
  base::Queue queue_;                     // under lock_, as the rest:
  std::int64_t let_through_ns_ = 0;       // when some were last let through over the limit,
  std::int64_t most_let_through_ = 0;     // how many at most,
  std::int64_t left_to_let_through_ = 0;  // and how many of these still may
};

}  // namespace weir::gate
