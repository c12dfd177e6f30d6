// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "op/op.h"

namespace weir::message {

class Link;
using Watched = Link;  // a request has a base of that name

// Tells a link that its socket is ready, or that a time is over: by the ring, on the driver's thread; where there is no
// ring by a thread of its own. One at a time; the link is retained while it is armed.
//
//   idle --arm()--> armed --ready, or time over, or cancel()--> idle; then ready(link), holding no lock
class Watch : public op::Request {
 public:
  using Ready = void (*)(Watched&);
  void belongs_to(Watched& link, Ready ready) {
    link_ = &link;
    ready_ = ready;
  }

  // Under the link's lock; not while armed. 0, or -errno: ready() will not be called.
  int arm(const op::Op& what);
  bool armed() const { return armed_.load(std::memory_order_acquire); }
  // An early end, of times alone. Not under the link's lock.
  void cancel();

 private:
  static void over(op::Request& request);
  static void by_thread(void* self);

  Watched* link_ = nullptr;
  Ready ready_ = nullptr;
  std::atomic<bool> armed_{false};
  std::atomic<std::uint32_t> cancelled_{0};
  bool in_ring_ = false;
};

}  // namespace weir::message
