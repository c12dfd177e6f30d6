// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

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
  // Starts the thread and returns when its ring stands: 0, or why not (-errno); then everything parks.
  int start(const sys::Capabilities& can);

  // From any thread. The request is the driver's until its done() was called. False: the driver is not running, or
  // died with its ring; then done() is not called.
  bool submit(op::Request& request);

  // Asks for an early end; done() comes with -ECANCELED, or with the result that was faster. From any thread; the
  // request must not be over yet (the caller knows, by its own lock).
  void cancel(op::Request& request);

  // Called on the driver's thread each time it has nothing else to do, and at least every `every_ns`.
  void on_tick(void (*tick)(std::int64_t now_ns), std::int64_t every_ns);

  bool running() const { return running_.load(std::memory_order_acquire); }
  void after_fork();  // in the child: the thread is gone, and the ring the parent's

 private:
  static void body(void* self);
  void run();
  void take_inbox();
  void wake();

  Ring ring_;
  base::Inbox inbox_;
  std::atomic<bool> running_{false};
  std::atomic<std::uint32_t> asleep_{0};
  std::atomic<std::uint32_t> started_{0};
  int start_result_ = 0;
  int wake_fd_ = -1;
  sys::Capabilities can_;
  void (*tick_)(std::int64_t) = nullptr;
  std::int64_t tick_every_ns_ = -1;
};

}  // namespace weir::ring
