// SPDX-License-Identifier: Apache-2.0
#include "gate/others.h"

#include <atomic>

#include "base/clock.h"

namespace weir::gate {
namespace {

constinit std::atomic<std::int64_t> others_until_ns{0};
constinit std::atomic<bool> asleep{false};

}  // namespace

void others_had_a_core(std::int64_t now_ns) {
  constexpr std::int64_t lately_ns = 200 * base::ns_per_ms;
  others_until_ns.store(now_ns + lately_ns, std::memory_order_relaxed);
}

bool others_have_a_core_lately() {
  std::int64_t until_ns = others_until_ns.load(std::memory_order_relaxed);
  if (!until_ns) return false;
  if (base::now_ns() < until_ns) return true;
  others_until_ns.store(0, std::memory_order_relaxed);  // looked for anew
  return false;
}

void waits_asleep(bool now) { asleep.store(now, std::memory_order_relaxed); }
bool is_to_wait_asleep() { return asleep.load(std::memory_order_relaxed); }

}  // namespace weir::gate
