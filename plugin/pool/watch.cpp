// SPDX-License-Identifier: Apache-2.0
#include "pool/watch.h"

#include <algorithm>

#include "base/clock.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::pool {
namespace {

constexpr std::int64_t usual_ns = 10 * base::ns_per_ms, longest_ns = 16 * usual_ns;
constexpr int looks_before_sleep = 20;

}  // namespace

void Watch::start(const Duties& duties) {
  duties_ = duties;
  sys::start_thread([](void* self) { static_cast<Watch*>(self)->keep(); }, this, "weir-watch");
}

void Watch::wake() {
  asleep_.store(0, std::memory_order_seq_cst);
  sys::futex_wake(asleep_);
}

void Watch::sleep() {
  asleep_.store(1, std::memory_order_seq_cst);
  if (duties_.look() != Found::idle) return asleep_.store(0, std::memory_order_seq_cst);
  while (asleep_.load(std::memory_order_acquire)) sys::futex_wait(asleep_, 1);
}

// Where all of them block and nothing waits for one, it looks less and less often.
void Watch::keep() {
  std::int64_t pause_ns = usual_ns;
  for (int idle_looks = 0;;) {
    sys::sleep_ns(pause_ns);
    Found found = duties_.look();
    if (found == Found::stuck) duties_.relieve();
    pause_ns = found == Found::quiet ? std::min(2 * pause_ns, longest_ns) : usual_ns;
    idle_looks = found == Found::idle ? idle_looks + 1 : 0;
    if (idle_looks < looks_before_sleep) continue;
    sleep();
    idle_looks = 0;
  }
}

}  // namespace weir::pool
