// SPDX-License-Identifier: Apache-2.0
#include "wait/watchdog.h"

namespace weir::wait {

namespace {
constinit std::atomic<void (*)()> on_stall[4] = {};
}

void add_on_stall(void (*make_them_go_on)()) {
  for (auto& place : on_stall) {
    void (*there)() = nullptr;
    if (place.compare_exchange_strong(there, make_them_go_on) || there == make_them_go_on) return;
  }
}

void tell_of_stall() {
  for (auto& place : on_stall)
    if (auto* make_them_go_on = place.load(std::memory_order_acquire)) make_them_go_on();
}

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
