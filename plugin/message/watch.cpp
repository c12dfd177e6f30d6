// SPDX-License-Identifier: Apache-2.0
#include "message/watch.h"

#include "base/clock.h"
#include "message/link.h"
#include "path/waiting.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"

namespace weir::message {

int Watch::arm(const op::Op& what) {
  op = what;
  done = over;
  cancelled_.store(0, std::memory_order_relaxed);
  link_->retain();
  armed_.store(true, std::memory_order_release);
  in_ring_ = path::submit(*this);
  if (in_ring_) return 0;
  int error = sys::start_thread(by_thread, this, "weir-link");
  if (error) {
    armed_.store(false, std::memory_order_release);
    link_->release();
  }
  return error;
}

void Watch::over(op::Request& request) {
  auto& watch = static_cast<Watch&>(request);
  Watched* link = watch.link_;
  Ready ready = watch.ready_;
  watch.armed_.store(false, std::memory_order_release);  // ready() may arm it again
  ready(*link);
  link->release();
}

void Watch::by_thread(void* self) {
  auto& watch = *static_cast<Watch*>(self);
  if (watch.op.kind == op::Kind::timeout) {
    std::int64_t end = base::now_ns() + watch.op.timeout_ns;
    while (!watch.cancelled_.load(std::memory_order_acquire)) {
      std::int64_t left = end - base::now_ns();
      if (left <= 0) break;
      sys::futex_wait(watch.cancelled_, 0, left);
    }
  } else {
    pollfd about{watch.op.fd, static_cast<short>(watch.op.events), 0};
    sys::poll(&about, 1, -1);
  }
  over(watch);
}

void Watch::cancel() {
  if (!armed()) return;
  if (in_ring_) return path::cancel(*this);
  cancelled_.store(1, std::memory_order_release);
  sys::futex_wake(cancelled_);
}

}  // namespace weir::message
