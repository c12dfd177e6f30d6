// SPDX-License-Identifier: Apache-2.0
#include "path/ringless.h"

#include <atomic>

#include "base/clock.h"
#include "errand/errand.h"
#include "path/engine.h"
#include "sys/file.h"
#include "sys/process.h"

namespace weir::path {
namespace {

constinit std::atomic<bool> without{false};

void keep_watch(void*) {
  while (true) {
    std::int64_t next_ns = tick(base::now_ns());
    constexpr std::int64_t longest_ns = 250 * base::ns_per_ms;
    sys::sleep_ns(next_ns < 0 || next_ns > longest_ns ? longest_ns : next_ns);
  }
}

}  // namespace

void go_without_ring() { without.store(!sys::start_thread(keep_watch, nullptr, "weir-watch"), std::memory_order_release); }

bool is_without_ring() { return without.load(std::memory_order_acquire); }

bool goes_elsewhere(const Call& call, const Plan& plan) {
  if (driver.running() || start_engine() || !is_without_ring()) return false;
  bool reads = plan.storage && call.direction == Direction::in && call.parts && call.part_count > 0 && !call.moved;
  return reads && (call.family == Family::file_at || call.family == Family::next) && errand::is_free();
}

void ringless_after_fork() { without.store(false); }

}  // namespace weir::path
