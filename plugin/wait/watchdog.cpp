// SPDX-License-Identifier: Apache-2.0
#include "wait/watchdog.h"

#include <algorithm>

namespace weir::wait {

namespace {
struct Runtime {
  std::atomic<void (*)()> make_them_go_on;
  std::atomic<Stall (*)()> what_it_was;
};
constinit Runtime runtimes[4] = {};
}  // namespace

void add_on_stall(const OnStall& runtime) {
  for (Runtime& place : runtimes) {
    void (*there)() = nullptr;
    if (!place.make_them_go_on.compare_exchange_strong(there, runtime.make_them_go_on) && there != runtime.make_them_go_on) continue;
    place.what_it_was.store(runtime.what_it_was);
    return;
  }
}

void tell_of_stall() {
  for (Runtime& runtime : runtimes)
    if (auto* make_them_go_on = runtime.make_them_go_on.load(std::memory_order_acquire)) make_them_go_on();
}

Stall what_stall_was() {
  Stall all = Stall::unknown;
  for (Runtime& runtime : runtimes)
    if (auto* what_it_was = runtime.what_it_was.load(std::memory_order_acquire)) all = std::max(all, what_it_was());
  return all;
}

Watchdog::Verdict Watchdog::look(std::int64_t now_ns, std::int64_t ready, std::int64_t resumed) {
  bool progress = ready <= 0 || resumed != resumed_;
  resumed_ = resumed;
  if (progress) {
    since_ns_ = ready > 0 ? now_ns : -1;
    if (!tripped_) return Verdict::nothing;
    tripped_ = false;
    return Verdict::healed;
  }
  if (since_ns_ < 0) since_ns_ = now_ns;
  if (tripped_ || now_ns - since_ns_ < patience_ns_) return Verdict::nothing;
  tripped_ = true;
  return Verdict::tripped;
}

}  // namespace weir::wait
