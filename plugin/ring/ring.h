// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <liburing.h>

#include <atomic>
#include <cstdint>

#include "op/op.h"
#include "ring/doubts.h"
#include "sys/capabilities.h"

namespace weir::ring {

// One io_uring, submitted to and reaped by the one thread that set it up. As the kernel offers: single issuer, deferred
// task work (completions are processed only inside reap(): nobody's computing is interrupted), registered descriptor
// (the program may close every descriptor it sees; the ring goes on), close on exec.
class Ring {
 public:
  // 0 or -errno. The calling thread becomes the ring's owner.
  int open(unsigned entries, const sys::Capabilities& can);
  void close();
  // In a forked child: the ring is the parent's; leave its memory and descriptor alone.
  void forget();
  bool is_open() const { return open_; }

  // Puts the request in the submission queue; flushes first when that is full. 0 or -errno.
  int prepare(op::Request& request);
  std::int64_t stored() const { return stored_; }  // operations of storage under way
  // Asks the kernel to give up an operation under way. Its completion still comes, with -ECANCELED or a result.
  int prepare_cancel(const op::Request* request);
  // Waits once for a wake of `word`, if it still is `expected`; reap() says so. Needs no descriptor.
  int prepare_futex(std::atomic<std::uint32_t>& word, std::uint32_t expected);
  // Arms one poll of `fd`; its completion makes reap() say so.
  int prepare_watch(int fd);

  // Gives what is prepared to the kernel. Number given, or -errno.
  int submit();
  // The same, then sleeps until a completion is there or timeout_ns is over (< 0: no limit).
  int submit_and_wait(std::int64_t timeout_ns);

  // Calls done() of each finished request.
  struct Reaped {
    bool watch_fired = false;     // a watched descriptor became readable
    std::uint32_t told = 0;       // idle threads that were woken by it
  };
  Reaped reap();

  unsigned prepared() { return io_uring_sq_ready(&ring_); }
  // Asks the kernel to give up the operations that lost their limit. True: some are left, call again soon.
  bool give_up_unlimited();
  // Has it operations that may not be allowed to wait? Then those that have waited since the last call are asked, and given up.
  bool has_doubts() const { return doubts_.any(); }
  void ask_doubts();
  void ask_all_doubts();  // however long they have waited

 private:
  void find();
  io_uring_sqe* slot();
  unsigned next_of_due(io_uring_cqe** cqes, unsigned most, unsigned* seen);
  bool completed(const io_uring_cqe& cqe);
  void settle(op::Request& request);
  io_uring ring_{};
  base::Link* unlimited_ = nullptr;  // requests that lost their limit
  Doubts doubts_;
  std::int64_t stored_ = 0;          // operations of storage under way
  bool open_ = false;
  bool registered_ = false;
  bool can_wait_first_ = false;      // a recv that polls before it tries
};

}  // namespace weir::ring
