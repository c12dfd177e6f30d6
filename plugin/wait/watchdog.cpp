// SPDX-License-Identifier: Apache-2.0
#include "wait/watchdog.h"

namespace weir::wait {

constinit std::atomic<void (*)()> on_stall{nullptr};

Watchdog::Verdict Watchdog::look(std::int64_t now_ns, std::int64_t ready, std::int64_t resumed) {
  bool progress = ready <= 0 || resumed != resumed_;
  resumed_ = resumed;
  if (progress) {
    since_ns_ = ready > 0 ? now_ns : -1;
    if (!tripped_) return Verdict::nothing;
    tripped_ = false;
    patience_ns_ *= 2;
    return Verdict::healed;
  }
  if (since_ns_ < 0) since_ns_ = now_ns;
  if (tripped_ || now_ns - since_ns_ < patience_ns_) return Verdict::nothing;
  tripped_ = true;
  return Verdict::tripped;
}

}  // namespace weir::wait
