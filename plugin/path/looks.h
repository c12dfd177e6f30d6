// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "path/call.h"
#include "path/plan.h"
#include "sys/file.h"

namespace weir::path {

// What poll calls ready time and again, though nothing is to be had (a datagram's receiver may be full, and poll asks the sender):
// looked at now and then.
class Naps {
 public:
  void in_vain() { ++in_vain_; }
  bool wanted() const { return in_vain_ > by_others; }
  std::int64_t ns() const { return base::ns_per_ms << std::min(in_vain_ - by_others, 4); }

 private:
  static constexpr int by_others = 4;  // so often somebody else was faster
  int in_vain_ = 0;
};

inline bool seems_ready(const Call& call, const Plan& plan) {
  pollfd one{call.fd, static_cast<short>(plan.events), 0};
  return sys::poll(&one, 1, 0) > 0;
}

inline Result when_its_time_is_over(const Call& call) { return call.moved ? static_cast<Result>(call.moved) : call.when_timed_out; }

}  // namespace weir::path
